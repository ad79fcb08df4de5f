// The bench: measures ours beside its peers in one run and prints a table, or with --json a document.
// Missed targets are printed, not punished: the exit code is 0 unless the measuring itself fails.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { toComparison } from "./compare.ts";
import { measure } from "./measure.ts";
import { describeMachine, toJson, toTable, type Report } from "./report.ts";
import { judge, type Case, type CaseResult, type Row, type RowContext } from "./row.ts";
import { rows } from "./all-rows.ts";

const usage = `Usage: npm run bench -- [--quick] [--json] [--only <text>] [--compare <file> [<file>]]

  --quick           fewer rounds, for a first impression
  --json            one JSON document with every median and sample
  --only <text>     only the rows whose name contains this text
  --compare <file>  beside the table, this run row by row beside an earlier one, which --json has written to the file,
                    with the noise of each; with two files nothing is measured
  --help            this text

Rows: ${rows.map(({ name }) => name).join("; ")}
`;

interface BenchOptions {
  readonly rounds: number;
  readonly isJson: boolean;
  readonly selected: readonly Row[];
  /** Earlier runs: one is compared with this run, two with each other. */
  readonly earlier: readonly Report[];
}

const fullRounds = 25;
const quickRounds = 5;
const maxWarmUpRounds = 20;

function readOptions(): BenchOptions {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean" },
      json: { type: "boolean" },
      only: { type: "string" },
      compare: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const wanted = (values.only ?? "").toLowerCase();
  const selected = rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (selected.length === 0) throw new Error(`no row has "${values.only}" in its name`);
  const files = values.compare === undefined ? [] : [values.compare, ...positionals];
  if (values.json && files.length > 0) throw new Error("--compare prints a table; leave --json out");
  if (files.length > 2 || (values.compare === undefined && positionals.length > 0)) throw new Error("--compare takes one file or two");
  return { rounds: values.quick ? quickRounds : fullRounds, isJson: values.json ?? false, selected, earlier: files.map(readReport) };
}

/** What `--json` has written. npm's own lines may stand before it. */
function readReport(file: string): Report {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text.slice(text.indexOf("{"))) as Report;
  } catch {
    throw new Error(`${file} holds no run of the bench; make one with: npm run bench -- --json > ${file}`);
  }
}

async function runRow(row: Row, rounds: number): Promise<CaseResult[]> {
  const cleanups: (() => Promise<void> | void)[] = [];
  const context: RowContext = { defer: (cleanup) => void cleanups.unshift(cleanup) };
  const results: CaseResult[] = [];
  try {
    for (const definition of await row.prepare(context)) results.push(await runCase(row, definition, rounds));
  } finally {
    for (const cleanup of cleanups) await cleanup();
  }
  return results;
}

async function runCase(row: Row, definition: Case, usualRounds: number): Promise<CaseResult> {
  const { name, work, unit, ours, contestants, targets } = definition;
  const rounds = definition.rounds?.(usualRounds) ?? usualRounds;
  const measurements = await measure(contestants, {
    rounds,
    warmUpRounds: rounds === 1 ? 0 : Math.min(Math.ceil(rounds / 2), maxWarmUpRounds),
    onRound: (round, contestant) => showProgress(`${name}: ${round > 0 ? `round ${round} of ${rounds}` : "warming up"}, ${contestant}`),
  });
  const verdicts = targets.map((target) => judge(target, ours, measurements));
  return { row: row.name, name, work, unit, ours, rounds, measurements, verdicts };
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

async function run({ rounds, isJson, selected, earlier }: BenchOptions): Promise<void> {
  const [first, second] = earlier;
  if (first && second) return void process.stdout.write(toComparison(first, second));
  const startedAt = performance.now();
  const isPossible = ({ platforms }: Row): boolean => platforms?.includes(process.platform) ?? true;
  const cases: CaseResult[] = [];
  const notMeasured = selected.filter((row) => !isPossible(row)).map(({ name }) => `${name}: not on ${process.platform}`);
  for (const row of selected.filter(isPossible)) {
    try {
      cases.push(...(await runRow(row, rounds)));
    } catch (error) {
      // What the other rows have measured took minutes and is kept.
      process.exitCode = 1;
      notMeasured.push(`${row.name}: ${(error as Error).message}`);
    }
  }
  showProgress("");
  const report: Report = {
    ...describeMachine(),
    rounds,
    seconds: (performance.now() - startedAt) / 1e3,
    cases,
    notMeasured,
  };
  process.stdout.write(isJson ? `${toJson(report)}\n` : toTable(report));
  if (first) process.stdout.write(`\n${toComparison(first, report)}`);
}

let options: BenchOptions | undefined;
try {
  options = readOptions();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}
if (options) await run(options);
