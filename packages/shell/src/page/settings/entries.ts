// Servers and agents as a user types or pastes them, and as the configuration has them. What can't be meant is said in a sentence that
// never repeats what was pasted: it may hold secrets.

import { HawserError, isRecord, reveal } from "@hawser/protocol/internal";
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

/** An entry of the settings whose program or address is told whole. */
export interface EditableProgram {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  /** Names of its values; the values are not known here. */
  readonly secrets?: readonly string[];
}

/** Only what the form can show as it is, and give back as it was. */
export function isEditable({ name, command, args = [], url, secrets = [] }: EditableProgram): boolean {
  const place = command ?? url;
  if (place === undefined || (command !== undefined && url !== undefined) || place !== place.trim()) return false;
  const isLine = (text: string): boolean => text.trim() !== "" && !/[\r\n]/.test(text) && reveal(text) === text;
  return [name, place, ...args].every(isLine) && secrets.every((secret) => isLine(secret) && /^[^=:\s]+$/.test(secret));
}

export const toProgramDraft = ({ name, command, args = [], url, secrets = [] }: EditableProgram): ProgramDraft => ({
  name,
  command: command ?? url ?? "",
  args: args.join("\n"),
  env: secrets.map((secret) => `${secret}=${keptValue}`).join("\n"),
});

/** Stands for a value that is not shown, and stays. */
export const keptValue = "••••••";

/** What changes an entry into what was typed: a value that was left as it is shown stays, one whose line is gone goes. */
export function toServerChange(draft: ProgramDraft, before: EditableProgram): Entries {
  const [name, after] = Object.entries(toServer(draft))[0] ?? [];
  const { env, headers, ...others } = (after ?? {}) as { env?: Values; headers?: Values };
  // What belongs to a program and what belongs to an address are not the same values.
  const isOtherSort = "url" in others === (before.url === undefined);
  const secrets = isOtherSort ? [] : (before.secrets ?? []);
  const values = "url" in others ? { env: null, headers: toKept(headers, secrets) } : { env: toKept(env, secrets), headers: null };
  const place = "url" in others ? { command: null, args: null } : { type: null, url: null, args: null };
  // An address keeps its way of being talked to.
  const type = "url" in others && !isOtherSort ? { type: undefined } : {};
  return { [name ?? ""]: { ...place, ...others, ...type, ...values } };
}

export function toAgentChange(draft: ProgramDraft, { secrets = [] }: EditableProgram): Entries {
  return Object.fromEntries(
    Object.entries(toAgent(draft)).map(([name, after]) => {
      const { env, ...others } = after as { env?: Values };
      return [name, { args: null, ...others, env: toKept(env, secrets) }];
    }),
  );
}

type Values = Readonly<Record<string, string>>;

function toKept(values: Values = {}, secrets: readonly string[]): Readonly<Record<string, string | null>> {
  const changed = Object.entries(values).filter(([, value]) => value !== keptValue);
  const unknown = Object.entries(values).find(([name, value]) => value === keptValue && !secrets.includes(name));
  if (unknown) throw new HawserError("usage", `The value of ${unknown[0]} is not known: write it anew.`);
  const gone = secrets.filter((name) => !Object.hasOwn(values, name));
  return Object.fromEntries([...gone.map((name) => [name, null] as const), ...changed]);
}

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
