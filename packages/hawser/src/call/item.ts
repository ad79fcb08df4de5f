// The flags of `call`, and the item that every door takes. Bytes of a body that aren't text travel as base64.

import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import { HawserError, type CallItem } from "@hawser/protocol";
import { keepNumbers } from "@hawser/wire/internal";
import type { OutputFlags } from "../api-target/json-output.ts";
import type { TargetFlags } from "../api-target/target.ts";
import { toFlag } from "../command-line/command.ts";
import { readInputFile, readStdin } from "../command-line/input.ts";
import { checkFleetFlags, type FleetFlags } from "../fleet/flags.ts";

export interface CallFlags extends TargetFlags, OutputFlags, FleetFlags {
  readonly op?: string;
  readonly method?: string;
  readonly path?: string;
  readonly param?: readonly string[];
  readonly query?: readonly string[];
  readonly header?: readonly string[];
  readonly body?: string;
  readonly form?: readonly string[];
  readonly contentType?: string;
  readonly dryRun?: true;
  readonly printRequest?: true;
  readonly yes?: true;
  readonly retry?: number;
  readonly retryBackoff?: string;
  readonly stream?: true;
  readonly out?: string;
  readonly batch?: string;
  readonly parallel?: number;
  readonly ordered?: true;
  readonly batchOutput?: "ndjson" | "json";
  readonly site?: string;
  readonly attach?: string;
  readonly after?: number;
  readonly cancel?: string;
  readonly keep?: true;
}

/** Throws `usage` for what belongs to batches of a fleet. */
export function checkNoFleet(flags: CallFlags): void {
  const lonely = (["site", "attach", "after", "keep", "cancel"] as const).find((name) => flags[name] !== undefined);
  if (lonely !== undefined) throw new HawserError("usage", `${toFlag(lonely)} requires --fleet`);
  checkFleetFlags(flags);
}

export async function toCallItem(flags: CallFlags): Promise<CallItem> {
  const { op, method, path, query, header, contentType, dryRun, yes, retry, retryBackoff } = flags;
  const all = { op, method, path, contentType, dryRun, yes, retry, retryBackoff };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as CallItem;
  checkPlace(flags);
  return {
    ...given,
    ...(query && { query: [...query] }),
    ...(header && { headers: [...header] }),
    ...(flags.param && { params: toParams(flags.param) }),
    ...(await toBody(flags)),
  };
}

/** What the core would refuse too, in the words of the command line, and before stdin is read or a gateway is looked for. */
function checkPlace({ op = "", method = "", path = "", param }: CallFlags): void {
  if (op.trim() === "") {
    if (path.trim() === "") throw usage("say what to call: --path <path>, or --op <operation id>");
    if (param) throw usage("--param belongs to --op; with --path use --query, --header, --body");
  } else if (method.trim() !== "" || path.trim() !== "") throw usage("--op can't be used together with --path or --method");
}

async function toBody({ body, form, contentType, apiKeyStdin }: CallFlags): Promise<Partial<CallItem>> {
  if (body !== undefined && form) throw usage("use only one of --body and --form");
  if (form) return toForm(form, contentType);
  if (body === undefined) return {};
  if (body === "-" && apiKeyStdin) throw usage("--api-key-stdin and --body - can't both read stdin");
  if (body === "-") return toContent(await readStdin());
  return body.startsWith("@") ? toContent(await readInputFile(body.slice(1), "the body")) : { body };
}

const toContent = (content: Buffer): Partial<CallItem> =>
  isUtf8(content) ? { body: content.toString("utf8") } : { body: content.toString("base64"), bodyEncoding: "base64" };

async function toForm(entries: readonly string[], contentType: string | undefined): Promise<Partial<CallItem>> {
  const fields = entries.map((entry) => splitEntry(entry, "--form"));
  const hasFile = fields.some(([, value]) => value.startsWith("@"));
  const members = [...Map.groupBy(fields, ([name]) => name)].map(async ([name, pairs]) => {
    const values = await Promise.all(pairs.map(([, value]) => toField(value)));
    return [name, values.length === 1 ? values[0] : values] as const;
  });
  const usualType = hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded";
  return { body: Object.fromEntries(await Promise.all(members)), contentType: contentType ?? usualType };
}

async function toField(value: string): Promise<string | object> {
  if (!value.startsWith("@")) return value;
  const path = value.slice(1);
  return { filename: basename(path), base64: (await readInputFile(path, "the file")).toString("base64") };
}

function toParams(entries: readonly string[]): Record<string, unknown> {
  const params = new Map<string, unknown>();
  for (const entry of entries) {
    const [name, text] = splitEntry(entry, "--param");
    if (params.has(name)) throw usage(`--param ${name} is given twice; a list is written as JSON: ${name}='["a","b"]'`);
    params.set(name, toValue(text));
  }
  return Object.fromEntries(params);
}

/** JSON where the text is JSON, else the text itself; also for numbers that would change on the way. */
function toValue(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "number" && String(value) !== text ? text : keepNumbers(value, text);
  } catch {
    return text;
  }
}

function splitEntry(entry: string, flag: string): readonly [name: string, value: string] {
  const sign = entry.indexOf("=");
  const name = entry.slice(0, Math.max(sign, 0)).trim();
  if (name === "") throw usage(`invalid ${flag} ${JSON.stringify(entry)}: expected name=value`);
  return [name, entry.slice(sign + 1)];
}

const usage = (message: string): HawserError => new HawserError("usage", message);
