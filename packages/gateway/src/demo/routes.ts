// What the demo API answers, one function per operation, and what it remembers, in memory and bounded. Every demo starts
// with the same state.

import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";

export interface DemoRequest {
  readonly url: URL;
  readonly body: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

export interface DemoAnswer {
  readonly status: number;
  readonly body: unknown;
}

type Route = (request: DemoRequest, state: DemoState, name: string) => DemoAnswer | Promise<DemoAnswer>;

const success = (body: unknown): DemoAnswer => ({ status: 200, body });
export const failure = (status: number, error: string): DemoAnswer => ({ status, body: { error } });

/** By `METHOD path`, as the document names them. */
export const demoRoutes: Readonly<Record<string, Route>> = {
  "GET /data/api/v1/gateway-info": (_request, state) =>
    success({ name: "demo", version: "8.3.0", state: "RUNNING", uptimeMs: Date.now() - state.startedAt }),
  "GET /data/api/v1/logs": ({ url }, state) => {
    const level = url.searchParams.get("level")?.toUpperCase();
    const text = url.searchParams.get("text")?.toLowerCase() ?? "";
    return page(
      url,
      state.logs.filter((entry) => (level === undefined || entry.level === level) && entry.message.toLowerCase().includes(text)),
    );
  },
  "GET /data/api/v1/tags": ({ url }, state) => {
    const prefix = url.searchParams.get("prefix") ?? "";
    return page(
      url,
      [...state.tags.values()].filter(({ name }) => name.startsWith(prefix)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  },
  "GET /data/api/v1/tags/{name}": (_request, state, name) => {
    const tag = state.tags.get(name);
    return tag ? success(tag) : failure(404, `there is no tag ${JSON.stringify(name)}`);
  },
  "PUT /data/api/v1/tags/{name}": ({ url, body }, state, name) => {
    const value = readTagValue(body);
    if (value === undefined) return failure(400, 'the body must be JSON with a "value"');
    if (isDryRun(url)) return success({ name, value, quality: "Good", dryRun: true });
    const tag = writeTag(state, name, value);
    log(state, "INFO", "tags", `Tag ${name} written`);
    return success(tag);
  },
  "POST /data/api/v1/scan/projects": ({ url }, state) => {
    if (!isDryRun(url)) log(state, "INFO", "projects", `Scan ${++state.scans} of the projects finished`);
    return success({ dryRun: isDryRun(url), projects: 2, scans: state.scans });
  },
  "GET /data/api/v1/slow": async ({ url, signal }) => {
    const ms = readNumber(url, "ms", 1_000, [0, gatewayLimits.demoDelayMs]);
    if (ms === undefined) return failure(400, `ms must be a whole number from 0 to ${gatewayLimits.demoDelayMs}`);
    await sleep(ms, undefined, { signal }).catch(() => {});
    return success({ waitedMs: ms });
  },
  "GET /data/api/v1/fail": ({ url }) => {
    const status = readNumber(url, "status", 500, [400, 599]);
    return status === undefined ? failure(400, "status must be a whole number from 400 to 599") : failure(status, "failed as you asked");
  },
};

const isDryRun = (url: URL): boolean => url.searchParams.get("dryRun") === "true";

function page(url: URL, entries: readonly unknown[]): DemoAnswer {
  const limit = readNumber(url, "limit", 20, [1, 100]);
  const offset = readNumber(url, "offset", 0, [0, Infinity]);
  if (limit === undefined || offset === undefined) return failure(400, "limit is a whole number from 1 to 100, offset one from 0");
  return success({ total: entries.length, items: entries.slice(offset, offset + limit) });
}

function readNumber(url: URL, name: string, fallback: number, [min, max]: readonly [number, number]): number | undefined {
  const text = url.searchParams.get(name);
  if (text === null) return fallback;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  return number >= min && number <= max ? number : undefined;
}

function readTagValue(body: string): unknown {
  try {
    return (JSON.parse(body) as { value?: unknown } | null)?.value;
  } catch {
    return undefined;
  }
}

interface LogEntry {
  readonly id: number;
  readonly time: string;
  readonly level: "DEBUG" | "INFO" | "WARN" | "ERROR";
  readonly logger: string;
  readonly message: string;
}

export interface DemoState {
  readonly startedAt: number;
  readonly tags: Map<string, { readonly name: string; readonly value: unknown; readonly quality: "Good" }>;
  /** Newest first. */
  readonly logs: LogEntry[];
  scans: number;
}

const firstTags: readonly (readonly [string, unknown])[] = [
  ["Pump/Running", true],
  ["Pump/Speed", 1450],
  ["Tank/Level", 62.5],
  ["Tank/Product", "water"],
];
const firstLines: readonly (readonly [LogEntry["level"], string, string])[] = [
  ["INFO", "gateway", "Gateway started"],
  ["INFO", "projects", "2 projects loaded"],
  ["DEBUG", "tags", "4 tags loaded"],
  ["WARN", "devices", "Device PLC-7 answers slowly"],
  ["ERROR", "devices", "Device PLC-9 does not answer"],
];

export function createDemoState(): DemoState {
  const state: DemoState = { startedAt: Date.now(), tags: new Map(), logs: [], scans: 0 };
  for (const [name, value] of firstTags) writeTag(state, name, value);
  for (const line of firstLines) log(state, ...line);
  return state;
}

function log({ logs }: DemoState, level: LogEntry["level"], logger: string, message: string): void {
  logs.unshift({ id: (logs[0]?.id ?? 0) + 1, time: new Date().toISOString(), level, logger, message });
  logs.length = Math.min(logs.length, gatewayLimits.demoEntries);
}

/** Throws `overloaded` when there is no room for another tag. */
function writeTag({ tags }: DemoState, name: string, value: unknown): object {
  if (!tags.has(name) && tags.size >= gatewayLimits.demoEntries) throw new HawserError("overloaded", "the demo holds no more tags");
  const tag = { name, value, quality: "Good" as const };
  tags.set(name, tag);
  return tag;
}
