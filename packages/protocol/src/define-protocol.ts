// One definition per protocol. From it come the types, the validators, the JSON Schema, the reference page, the golden examples and
// the compatibility check. Fields that a definition does not know are kept and ignored: additions must not break old peers.

import { cutText } from "./text/cut-text.ts";
import * as v from "valibot";
import { HawserError } from "./errors.ts";
import { isRecord } from "./is-record.ts";
import { protocolLimits } from "./limits.ts";
import { type Look, quickLook } from "./quick-look.ts";

export interface MessageDefinition {
  readonly summary: string;
  readonly schema: v.GenericSchema;
  /** Of a request: what its answer carries in `data`, where all answers share one envelope. */
  readonly answer?: v.GenericSchema;
  /** At least one; they are the golden fixtures and the examples of the reference page. */
  readonly examples: readonly [unknown, ...unknown[]];
}

export interface DirectionDefinition {
  /** The member whose value names the message; null where a message is named by the member it has. */
  readonly tag: string | null;
  readonly messages: Readonly<Record<string, MessageDefinition>>;
}

export interface ProtocolDefinition {
  readonly name: string;
  readonly version: string;
  /** What the peers call the protocol on the wire, if they do. A change that breaks them needs a new one and a new major version. */
  readonly family?: string;
  readonly summary: string;
  /** How messages travel and how a conversation begins and ends: what an implementation in another language needs, line by line. */
  readonly conversation: readonly string[];
  readonly requests: DirectionDefinition;
  readonly responses: DirectionDefinition;
}

type MessageOf<Direction extends DirectionDefinition> = {
  [Name in keyof Direction["messages"]]: v.InferOutput<Direction["messages"][Name]["schema"]>;
}[keyof Direction["messages"]];

export interface Protocol<Definition extends ProtocolDefinition> {
  readonly definition: Definition;
  /** Throws `invalid_message` or `unknown_method`, naming the field and the reason. */
  parseRequest(value: unknown): MessageOf<Definition["requests"]>;
  parseResponse(value: unknown): MessageOf<Definition["responses"]>;
}

export type RequestOf<Kind> = Kind extends Protocol<infer Definition> ? MessageOf<Definition["requests"]> : never;
export type ResponseOf<Kind> = Kind extends Protocol<infer Definition> ? MessageOf<Definition["responses"]> : never;

export function defineProtocol<const Definition extends ProtocolDefinition>(definition: Definition): Protocol<Definition> {
  return {
    definition,
    parseRequest: (value) => parse(definition.requests, value) as MessageOf<Definition["requests"]>,
    parseResponse: (value) => parse(definition.responses, value) as MessageOf<Definition["responses"]>,
  };
}

function parse(direction: DirectionDefinition, value: unknown): unknown {
  const { tag, messages } = direction;
  if (!isRecord(value)) throw new HawserError("invalid_message", "a message is a JSON object");
  const name = tag === null ? onlyMemberOf(value, messages) : value[tag];
  const message = typeof name === "string" && Object.hasOwn(messages, name) ? messages[name] : undefined;
  if (!message) {
    const known = Object.keys(messages).join(", ");
    if (tag === null) throw new HawserError("invalid_message", `a message has exactly one of: ${known}`);
    if (typeof name !== "string") throw new HawserError("invalid_message", `"${tag}" must be one of: ${known}`);
    throw new HawserError("unknown_method", `unknown ${tag} "${cutText(name, 64)}"; known are: ${known}`);
  }
  // The value itself, not a copy: members that the definition does not know stay.
  if (lookOf(message)(value)) return value;
  const result = v.safeParse(message.schema, value);
  if (result.success) return value;
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? "";
  // The text of the issue may quote the refused value, which has any length.
  const text = cutText(issue.message, protocolLimits.maxErrorTextChars);
  if (issue.received === "undefined" && path) throw new HawserError("invalid_message", `"${path}" is missing`, { facts: { path } });
  throw new HawserError("invalid_message", `${path ? `"${path}": ` : ""}${text}`, { facts: { path } });
}

// Made when the first message of its name comes: a process meets few of them.
const looks = new WeakMap<MessageDefinition, Look>();

function lookOf(message: MessageDefinition): Look {
  const look = looks.get(message) ?? quickLook(message.schema);
  looks.set(message, look);
  return look;
}

function onlyMemberOf(value: object, messages: DirectionDefinition["messages"]): string | undefined {
  let only: string | undefined;
  for (const name in messages)
    if (Object.hasOwn(value, name)) {
      if (only !== undefined) return undefined;
      only = name;
    }
  return only;
}
