// Servers and agents as a user types or pastes them, and as the configuration has them. What can't be meant is said in a sentence that
// never repeats what was pasted: it may hold secrets.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import { orUndefined } from "../../or-undefined.ts";

export interface ProgramDraft {
  readonly name: string;
  /** A program, or the address of a server. */
  readonly command: string;
  /** One in a line. */
  readonly args: string;
  /** `NAME=value`, one in a line; headers of an address. */
  readonly env: string;
}

export const emptyProgram: ProgramDraft = { name: "", command: "", args: "", env: "" };

type Entries = Readonly<Record<string, unknown>>;

const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

/** An MCP server by name. Throws `usage` that names the field. */
export function toServer({ name, command, args, env }: ProgramDraft): Entries {
  const place = command.trim();
  if (place === "") throw new HawserError("usage", "Say which program is to be started, or the address of the server.");
  const values = toValues(env);
  const given = Object.keys(values).length > 0;
  if (/^https?:\/\//i.test(place)) return { [toName(name)]: { type: "http", url: place, ...(given && { headers: values }) } };
  return { [toName(name)]: { ...toProgram(place, args), ...(given && { env: values }) } };
}

/** An agent that speaks ACP, by name. Throws `usage` that names the field. */
export function toAgent({ name, command, args, env }: ProgramDraft): Entries {
  if (command.trim() === "") throw new HawserError("usage", "Say which program is to be started.");
  const values = toValues(env);
  return { [toName(name)]: { ...toProgram(command.trim(), args), ...(Object.keys(values).length > 0 && { env: values }) } };
}

export function toName(text: string): string {
  const name = text.trim();
  if (name === "") throw new HawserError("usage", "A name is missing.");
  return name;
}

const toProgram = (command: string, args: string): object => ({ command, ...(lines(args).length > 0 && { args: lines(args) }) });

function toValues(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines(text).map((line, position) => {
      const [, name, value] = /^\s*([^=:\s]+)\s*[=:]\s?(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new HawserError("usage", `Line ${position + 1} of the values must be NAME=value.`);
      return [name, value ?? ""];
    }),
  );
}

/** What other clients call the member that holds the servers. */
const serverMembers = ["mcpServers", "servers", "context_servers", "mcp_servers"];

/** Where other clients write the address of a server. */
const urlMembers = ["url", "serverUrl", "httpUrl"];

/** The servers in a JSON text as other clients have it: the object `mcpServers`, what is in it, or around it. Throws `usage`. */
export function toPastedServers(text: string): Entries {
  const value = orUndefined(() => JSON.parse(text) as unknown);
  if (value === undefined) throw new HawserError("usage", "This is not valid JSON. Paste all of it, from the first { to the last }.");
  const around = isRecord(value) ? serverMembers.map((member) => value[member]).find(isRecord) : undefined;
  const servers = around ?? value;
  if (!isRecord(servers) || Object.keys(servers).length === 0 || !Object.values(servers).every(isServer))
    throw new HawserError("usage", 'There is no MCP server in it. It looks like {"mcpServers": {"name": {"command": "…"}}}.');
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, toKnown(server as Entries)]));
}

const isServer = (value: unknown): boolean =>
  isRecord(value) && (typeof value["command"] === "string" || urlMembers.some((member) => typeof value[member] === "string"));

const knownMembers = ["type", "command", "args", "env", "cwd", "headers", "disabled", "disabledTools"];

/** Members of other clients that mean nothing here would be a warning at every start. */
function toKnown(server: Entries): Entries {
  const url = urlMembers.map((member) => server[member]).find((each) => typeof each === "string");
  const known = Object.entries(server).filter(([member]) => knownMembers.includes(member));
  return { ...Object.fromEntries(known), ...(url !== undefined && { url }) };
}
