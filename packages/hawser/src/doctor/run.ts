// `hawser doctor`: whether calls can work, step by step. The checks have the names that igw gives them; `token`,
// `api_document` and `path` are ours, for APIs that need no token or aren't an Ignition gateway.

import { connect } from "node:net";
import { findProxy, loadApiIndex, resolveTarget, type CallOutcome, type GatewayOptions, type Target } from "@hawser/gateway/internal";
import { describeThrown, errorTable, type CallItem } from "@hawser/protocol";
import { printAnswer, type OutputFlags } from "../api-target/json-output.ts";
import { useCore, withTarget, type TargetFlags } from "../api-target/target.ts";
import { describeSystemError, toAdvice } from "../command-line/failure.ts";

export interface DoctorFlags extends TargetFlags, OutputFlags {
  readonly checkWrite?: true;
  readonly path?: string;
}

interface Check {
  readonly name: "gateway_url" | "token" | "tcp_connect" | "api_document" | "gateway_info" | "path" | "scan_projects";
  /** As igw has it: also of a check that was not asked for. */
  readonly ok: boolean;
  readonly skipped?: true;
  readonly message: string;
  readonly hint?: string | undefined;
}

interface Report {
  readonly checks: Check[];
  readonly stats: Record<string, unknown>;
  gatewayURL: string;
  failure?: { readonly code: number; readonly error: string };
}

const defaultPath = "/data/api/v1/gateway-info";
const scanPath = "/data/api/v1/scan/projects";
const defaultTimeout = "5s";
const maxLookedAt = 20;

export const runDoctor = (flags: DoctorFlags): Promise<void> =>
  printAnswer(flags, async () => {
    const report: Report = { checks: [], stats: {}, gatewayURL: "" };
    const timed = { ...flags, timeout: flags.timeout ?? defaultTimeout };
    await withTarget(timed, (options) => examine(options, timed, report));
    const { gatewayURL, checks, stats, failure } = report;
    process.exitCode = failure?.code ?? 0;
    return {
      json: { ok: !failure, ...failure, gatewayURL, checks },
      text: checks.map(toLine).join(""),
      stats,
    };
  });

async function examine(options: GatewayOptions, flags: DoctorFlags, report: Report): Promise<void> {
  const target = await resolveTarget(options);
  report.gatewayURL = target.baseUrl.href.replace(/\/$/, "");
  report.checks.push({ name: "gateway_url", ok: true, message: "parsed" });
  if (target.token === undefined) report.checks.push({ name: "token", ok: true, message: "no token configured" });
  const startedAt = performance.now();
  const reached = await tryToConnect(target, options);
  report.stats["tcpConnectMs"] = Math.round(performance.now() - startedAt);
  report.checks.push(reached);
  if (!reached.ok) {
    report.failure = { code: errorTable.connection_failed.exitCode, error: reached.message };
    return;
  }
  if (target.specFile !== undefined) await checkDocument(target.specFile, options, report);
  await useCore(options, async (core, interruption) => {
    await makeCalls((item) => core.call(item, { signal: interruption.signal }), flags, options, report);
    if (interruption.exitCode !== undefined) report.failure = { code: interruption.exitCode, error: "interrupted" };
  });
}

async function checkDocument(specFile: string, options: GatewayOptions, report: Report): Promise<void> {
  const name = "api_document";
  try {
    const { operations } = await loadApiIndex(options);
    report.checks.push({ name, ok: true, message: `${operations.length} operations in ${specFile}` });
  } catch (error) {
    const message = describeThrown(error);
    report.failure = { code: errorTable.usage.exitCode, error: message };
    report.checks.push({ name, ok: false, message, hint: "name the API's document with --spec-file, or with config set --spec-file" });
  }
}

type Call = (item: CallItem) => Promise<CallOutcome>;

async function makeCalls(call: Call, { path: given, checkWrite }: DoctorFlags, options: GatewayOptions, report: Report): Promise<void> {
  let path = given;
  let outcome = await call({ path: path ?? defaultPath });
  let where = "";
  // Not an Ignition gateway, perhaps.
  if (path === undefined && outcome.status === 404) {
    path = await findPath(options);
    if (path !== undefined) outcome = await call({ path });
    where = ` at ${path}, a path of the API document`;
  }
  const name = path === undefined ? "gateway_info" : "path";
  const isOk = note(report, { name, path: path ?? defaultPath, where }, outcome);
  if (checkWrite && isOk) {
    note(report, { name: "scan_projects", path: scanPath, where: "" }, await call({ method: "POST", path: scanPath, yes: true }));
  } else if (checkWrite) {
    report.checks.push({ name: "scan_projects", ok: false, skipped: true, message: `skipped (${name} failed)` });
  } else if (path === undefined) {
    report.checks.push({ name: "scan_projects", ok: true, skipped: true, message: "skipped (use --check-write)" });
  }
}

/** A path that can be read without parameters. */
async function findPath(options: GatewayOptions): Promise<string | undefined> {
  const index = await loadApiIndex(options).catch(() => undefined);
  const readable = index?.operations.filter(({ method, path }) => method === "GET" && !path.includes("{")) ?? [];
  for (const operation of readable.slice(0, maxLookedAt)) {
    const { parameters } = (await index?.describe(operation)) ?? {};
    if (parameters?.every(({ required }) => !required)) return operation.path;
  }
  return undefined;
}

const statNames = { gateway_info: "gatewayInfo", path: "path", scan_projects: "scanProjects" } as const;

/** Adds the check of one call; returns whether it succeeded. `where`: what the line says beside the status. */
function note(report: Report, asked: { name: keyof typeof statNames; path: string; where: string }, outcome: CallOutcome): boolean {
  const { name, path, where } = asked;
  const prefix = statNames[name];
  report.stats[`${prefix}Ms`] = outcome.timingMs;
  if (outcome.stats.http) report.stats[`${prefix}HTTP`] = outcome.stats.http;
  if (outcome.ok) {
    report.checks.push({ name, ok: true, message: `status ${outcome.status}${where}` });
    return true;
  }
  const ownHint =
    outcome.status === 404 ? `there is nothing at ${path}; ask for another path of the API with --path` : outcome.errorInfo?.hint;
  const { message: error, hint } = toAdvice(outcome.error ?? "failed", { hint: ownHint, asFlags: outcome.asFlags });
  report.failure ??= { code: outcome.code, error };
  report.checks.push({ name, ok: false, message: error, ...(hint !== undefined && { hint }) });
  return false;
}

/** To the gateway, or to the proxy that leads to it. */
function tryToConnect({ baseUrl, profile }: Target, options: GatewayOptions): Promise<Check> {
  const name = "tcp_connect";
  const proxy = findProxy(baseUrl, options.env);
  const url = proxy ? new URL(proxy.origin) : baseUrl;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const way = proxy ? `, the proxy of ${proxy.variable}` : "";
  const place = `${url.hostname}:${port}${way || (profile === undefined ? "" : ` of the profile ${profile}`)}`;
  const hint = proxy
    ? `check ${proxy.variable}, or name the gateway's host in NO_PROXY`
    : "check the gateway's host and port, and the firewalls between";
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: options.timeoutMs ?? 0 });
    const end = (check: Check): void => (socket.destroy(), resolve(check));
    socket.once("connect", () => end({ name, ok: true, message: `${url.hostname}:${port}${way}` }));
    socket.once("timeout", () => end({ name, ok: false, message: `network timeout: ${place}`, hint }));
    socket.once("error", (error) => end({ name, ok: false, message: `network error: ${place}: ${describeSystemError(error)}`, hint }));
  });
}

const toLine = ({ ok, skipped, name, message, hint }: Check): string =>
  `${skipped ? "skip" : ok ? "ok" : "fail"}\t${name}\t${message}${hint === undefined ? "" : `\thint: ${hint}`}\n`;
