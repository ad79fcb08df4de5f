// What the demo API remembers, in memory and bounded: tags that can be written, log entries that tell
// of it, a count of scans. Every demo starts with the same state.

import { HawserError, limits } from "@hawser/wire";

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
    logs.length = Math.min(logs.length, limits.demoEntries);
  }

  function writeTag(name: string, value: unknown): DemoTag {
    if (!tags.has(name) && tags.size >= limits.demoEntries) throw new HawserError("overloaded", "the demo holds no more tags");
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
