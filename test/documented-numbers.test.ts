// Numbers that the pages promise in prose are those of the code. Where a limit or a suite changes, the sentence that
// names it fails here instead of becoming false.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { suites } from "@hawser/conformance";
import limits from "./pinned-limits.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
/** Without line breaks, so that a sentence may go over two lines. */
const pageOf = (path: string): string => readFileSync(join(root, path), "utf8").replaceAll(/\s+/g, " ");

const number = (value: number): string => value.toLocaleString("en");
const words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"];
const inWords = (value: number): string => words[value] ?? number(value);
const seconds = (ms: number): number => ms / 1_000;
const minutes = (ms: number): number => ms / 60_000;
const hours = (ms: number): number => ms / 3_600_000;
const kib = (bytes: number): number => bytes / 1_024;
const mib = (bytes: number): number => bytes / 1_048_576;
const scenariosOf = (name: string): number => suites[name]?.scenarios.length ?? 0;

const promises: Record<string, readonly string[]> = {
  "docs/guarantees.md": [
    `if it stands in the first ${kib(limits.refusedHeadBytes)} KiB`,
    `One message has at most ${number(limits.maxMessageBytes)} bytes`,
    `A length prefix of more than ${mib(limits.maxDiscardBytes)} MiB`,
    `nested deeper than ${limits.maxReadDepth} levels is refused`,
    `What Hawser writes has at most ${limits.maxWriteDepth} levels`,
    `a turn that holds less than ${kib(limits.agentLightBytes)} KiB never waits`,
    `at most ${seconds(limits.eofGraceMs)} s; a bridge, whose client is leaving, ${seconds(limits.bridgeEofGraceMs)} s`,
    `running work gets up to ${seconds(limits.signalGraceMs)} s`,
    `sockets and private directories after ${seconds(limits.staleSocketMs)} s`,
  ],
  "docs/agent/editors.md": [
    `counts as denied after ${inWords(minutes(limits.permissionMs))} minutes`,
    `at most ${limits.acpSessionEntries} sessions at the same time, ${limits.acpPromptEntries} parts in a prompt, and ${number(limits.acpShownChars)} characters`,
  ],
  "docs/conformance.md": ["bridge", "parent", "rpc", "agent", "acp", "echo"].map((name) => `| ${scenariosOf(name)} | [`),
  "docs/bridge/README.md": [
    `slices of [${limits.schemaSliceMs} ms]`,
    `more than ${number(limits.schemaCheckSteps)} steps`,
    `Up to ${inWords(limits.bridgeConnections)} calls of a client run side by side`,
    `hawser bridge {socket} {schema} # ${scenariosOf("bridge")} scenarios`,
    `parent-tools.ts # ${scenariosOf("parent")} scenarios`,
  ],
  "docs/bridge/guarantees.md": [
    `(more than ${limits.maxResultBytes / 1_000_000} MB) is put into a file`,
    `A result of more than ${number(limits.maxMessageBytes)} bytes`,
    `messages of ${mib(limits.maxMessageBytes)} MiB; nesting of ${limits.maxReadDepth} levels; ${limits.maxConnections} connections`,
    `${mib(limits.maxSpillBytes)} MiB of results in files`,
  ],
  "docs/bridge/claude-code.md": [`that sign every ${seconds(limits.progressHeartbeatMs)} seconds`],
  "docs/bridge/opencode.md": [`gives one every ${seconds(limits.progressHeartbeatMs)} seconds`],
  "docs/bridge/other.md": [`reports every ${seconds(limits.progressHeartbeatMs)} seconds`],
  "docs/gateway/README.md": [
    `times out (${seconds(limits.callTimeoutMs)} seconds unless you say otherwise)`,
    `bodies that are kept (${mib(limits.maxBodyBytes)} MiB`,
  ],
  "docs/gateway/automation.md": [`at most ${mib(limits.maxBodyBytes)} MiB of it are kept`],
  "docs/gateway/host.md": [
    `(1 to ${limits.rpcMaxWorkers}, 1 unless given)`,
    `(1 to ${number(limits.rpcMaxQueuedMessages)}, 64 unless given)`,
    `read ahead calls of ${mib(limits.rpcReadAheadBytes)} MiB`,
    `each member of a call weighs ${limits.memberChars} bytes`,
    `the ${mib(limits.rpcQueuedBytes)} MiB of the queue itself`,
  ],
  "docs/agent/configuration.md": [
    `${limits.foundEntries} lines, ${mib(limits.searchedBytes)} MiB or ${seconds(limits.searchMs)} seconds`,
    `the first turn does, up to ${seconds(limits.agentLateToolsMs)} seconds`,
  ],
  "docs/agent/history.md": [
    `every few seconds; after a ${minutes(limits.lockSilenceMs) === 1 ? "minute" : "?"} of silence its lock can be taken over`,
  ],
  "docs/agent/host.md": [
    `images of up to ${mib(limits.maxImageBytes)} MiB and text of up to ${mib(limits.maxTextFileBytes)} MiB`,
    `at most ${limits.attachmentEntries} of them and ${mib(limits.maxAttachedBytes)} MiB together`,
    `Media of up to ${mib(limits.agentToolMediaChars)} MiB (as base64)`,
    `each of the first ${limits.agentRefusedMessages}, then`,
    `a \`permission_request\` waits ${seconds(limits.permissionMs)} seconds`,
    `it waits ${seconds(limits.permissionUnprovenMs)} seconds`,
    `Wait ${seconds(limits.hostIdleMs)} seconds for silence`,
    `sends \`progress\` every ${seconds(limits.agentHeartbeatMs)} seconds`,
  ],
  "docs/agent/models.md": [
    `if its server answers within ${limits.localServerMs} ms`,
    `up to ${limits.modelRetryCalls} times, after ${seconds(limits.modelBackoffMs)} seconds`,
  ],
  "docs/agent/offline.md": [
    `up to ${limits.offlineRequestEntries} of them`,
    `at most ${number(limits.offlineRepeatChars)} characters of a file or a result and ${limits.offlineListEntries} names`,
    `messages of up to ${number(limits.offlineMessageChars)} characters`,
  ],
  "docs/agent/permissions.md": [
    `Unanswered for ${seconds(limits.permissionMs)} seconds`,
    `At ${mib(limits.auditLogBytes)} MiB the file becomes \`audit.jsonl.1\``,
  ],
  "docs/shell/README.md": [
    `${inWords(limits.hostCrashEntries)} times within ${inWords(minutes(limits.hostCrashWindowMs))} minutes`,
    `does not read for ${inWords(seconds(limits.shellSlowMs))} seconds`,
    `Up to ${limits.shellConnections} tabs`,
  ],
  "docs/shell/access.md": [`good for a ${minutes(limits.shellKeyMs) === 1 ? "minute" : "?"} at most`],
  "docs/claude-code/README.md": [`after ${minutes(limits.claudeToolResultMs)} minutes (\`toolResultTimeoutMs\`)`],
  "docs/ship.md": [`gone within ${seconds(limits.eofGraceMs) === 10 ? "ten" : "?"} seconds`],
};

describe("numbers in the documentation", () => {
  it.each(Object.entries(promises))("%s names those of the code", (path, sentences) => {
    const page = pageOf(path);
    expect(sentences.filter((sentence) => !page.includes(sentence))).toEqual([]);
  });

  it("docs/guarantees.md: what is left behind is removed after the times of the sweep", () => {
    expect([hours(limits.staleSchemaMs), hours(limits.staleFolderMs)]).toEqual([1, 24]);
    expect(pageOf("docs/guarantees.md")).toContain("schema files after an hour, folders and locks of another container after a day");
  });
});
