// What the demo API answers, one function per operation, and what it remembers: tags that can be written, log entries that
// tell of it, a count of scans, in memory and bounded. Every demo starts with the same state. Wrong values are told apart in
// words, as a real API would.

import { HawserError } from "@hawser/protocol";
import { gatewayLimits } from "../limits.ts";

export interface DemoRequest {
  readonly method: string;
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
    return success(isDryRun(url) ? { name, value, quality: "Good", dryRun: true } : state.writeTag(name, value));
  },
  "POST /data/api/v1/scan/projects": ({ url }, state) => {
    if (!isDryRun(url)) state.countScan();
    return success({ dryRun: isDryRun(url), projects: 2, scans: state.scans });
  },
  "GET /data/api/v1/slow": async ({ url, signal }) => {
    const ms = readNumber(url, "ms", { min: 0, max: gatewayLimits.demoDelayMs, fallback: 1_000 });
    if (ms === undefined) return failure(400, `ms must be a whole number from 0 to ${gatewayLimits.demoDelayMs}`);
    await wait(ms, signal);
    return success({ waitedMs: ms });
  },
  "GET /data/api/v1/fail": ({ url }) => {
    const status = readNumber(url, "status", { min: 400, max: 599, fallback: 500 });
    return status === undefined ? failure(400, "status must be a whole number from 400 to 599") : failure(status, "failed as you asked");
  },
};

const isDryRun = (url: URL): boolean => url.searchParams.get("dryRun") === "true";

function page(url: URL, entries: readonly unknown[]): DemoAnswer {
  const limit = readNumber(url, "limit", { min: 1, max: 100, fallback: 20 });
  const offset = readNumber(url, "offset", { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  if (limit === undefined || offset === undefined) return failure(400, "limit is a whole number from 1 to 100, offset one from 0");
  return success({ total: entries.length, items: entries.slice(offset, offset + limit) });
}

interface NumberRule {
  readonly min: number;
  readonly max: number;
  readonly fallback: number;
}

function readNumber(url: URL, name: string, { min, max, fallback }: NumberRule): number | undefined {
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

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

export interface DemoTag {
  readonly name: string;
  readonly value: unknown;
  readonly quality: "Good";
}

export interface DemoLogEntry {
  readonly id: number;
  readonly time: string;
  readonly level: "DEBUG" | "INFO" | "WARN" | "ERROR";
  readonly logger: string;
  readonly message: string;
}

export interface DemoState {
  readonly startedAt: number;
  readonly tags: ReadonlyMap<string, DemoTag>;
  /** Newest first. */
  readonly logs: readonly DemoLogEntry[];
  readonly scans: number;
  /** Throws `overloaded` when there is no room for another tag. */
  writeTag(name: string, value: unknown): DemoTag;
  countScan(): void;
}

const firstTags: readonly (readonly [string, unknown])[] = [
  ["Pump/Running", true],
  ["Pump/Speed", 1450],
  ["Tank/Level", 62.5],
  ["Tank/Product", "water"],
];
const firstLines: readonly (readonly [DemoLogEntry["level"], string, string])[] = [
  ["INFO", "gateway", "Gateway started"],
  ["INFO", "projects", "2 projects loaded"],
  ["DEBUG", "tags", "4 tags loaded"],
  ["WARN", "devices", "Device PLC-7 answers slowly"],
  ["ERROR", "devices", "Device PLC-9 does not answer"],
];

export function createDemoState(): DemoState {
  const startedAt = Date.now();
  const tags = new Map<string, DemoTag>();
  const logs: DemoLogEntry[] = [];
  let lastId = 0;
  let scans = 0;

  function log(level: DemoLogEntry["level"], logger: string, message: string): void {
    logs.unshift({ id: ++lastId, time: new Date().toISOString(), level, logger, message });
    logs.length = Math.min(logs.length, gatewayLimits.demoEntries);
  }

  function writeTag(name: string, value: unknown): DemoTag {
    if (!tags.has(name) && tags.size >= gatewayLimits.demoEntries) throw new HawserError("overloaded", "the demo holds no more tags");
    const tag: DemoTag = { name, value, quality: "Good" };
    tags.set(name, tag);
    return tag;
  }

  for (const [name, value] of firstTags) writeTag(name, value);
  for (const line of firstLines) log(...line);
  return {
    startedAt,
    tags,
    logs,
    get scans() {
      return scans;
    },
    writeTag(name, value) {
      const tag = writeTag(name, value);
      log("INFO", "tags", `Tag ${name} written`);
      return tag;
    },
    countScan() {
      scans += 1;
      log("INFO", "projects", `Scan ${scans} of the projects finished`);
    },
  };
}
