// The protocol log: with HAWSER_DEBUG=protocol every message appears on stderr as
// `[SEND] <what> <id> <json>` or `[RECV] …`, cut to a readable length, secrets taken out. With
// HAWSER_DEBUG=protocol-full it is not cut.

import { cutText } from "./cut-text.ts";
import { JsonText } from "./codec/json-text.ts";
import { limits } from "./limits.ts";
import { logLine } from "./log.ts";

export type Tap = (direction: "SEND" | "RECV", message: unknown) => void;

/** The tap that the environment asks for, or undefined. */
export function tapFromEnvironment(environment: NodeJS.ProcessEnv = process.env): Tap | undefined {
  const topics = (environment["HAWSER_DEBUG"] ?? "").split(",");
  const isWhole = topics.includes("protocol-full");
  if (!isWhole && !topics.includes("protocol")) return undefined;
  const maxChars = isWhole ? Infinity : limits.maxTapChars;
  return (direction, message) =>
    logLine(`[${direction}] ${describe(message instanceof JsonText ? parsed(message.text) : message, maxChars)}`);
}

function describe(message: unknown, maxChars: number): string {
  const members = typeof message === "object" && message !== null ? (message as Record<string, unknown>) : {};
  const what = members["type"] ?? members["kind"] ?? members["op"] ?? members["method"];
  const label = [what, members["id"]]
    .filter((part) => typeof part === "string" || typeof part === "number")
    .map(toLabel)
    .join(" ");
  const json = redact(message);
  const shown = json.length > maxChars ? `${cutText(json, maxChars)} (${json.length} characters)` : json;
  return label ? `${label} ${shown}` : shown;
}

// The peer chose these: neither a line feed nor a megabyte of them may get into the log.
const toLabel = (part: string | number): string =>
  JSON.stringify(cutText(String(part), maxLabelChars))
    .slice(1, -1)
    .replaceAll(secretText, "[redacted]");

const maxLabelChars = 80;
const secretName = /token$|secret|password|passphrase|authorization|api[-_]?key|cookie|credential/i;
// Not after a hyphen: in `eyJ-eyJ-eyJ…` each of them would be searched to the end again.
const secretText = /\b(?:sk-[\w-]{16,}|Bearer\s+[\w.~+/-]{8,}=*|gh[pousr]_\w{20,}|(?<!-)eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)/g;

/** JSON for people to read: values under telling names and texts that look like keys are replaced. */
export function redact(value: unknown): string {
  try {
    const json = JSON.stringify(value, (name, member: unknown) =>
      // A streamed piece of text is called `token` too; a secret of that name is not under `type: "token"`.
      canBeSecret(member) && secretName.test(name) && !(name === "token" && isStreamedPiece(value)) ? "[redacted]" : member,
    );
    return (json ?? String(value)).replaceAll(secretText, "[redacted]");
  } catch {
    return "(not representable as JSON)";
  }
}

// A list of cookies or an object of credentials is as secret as a text.
const canBeSecret = (member: unknown): boolean => member !== null && member !== undefined && typeof member !== "boolean";

const isStreamedPiece = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (value as { type?: unknown }).type === "token";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
