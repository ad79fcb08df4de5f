// Watches one connection of JSON-RPC 2.0 in both directions and keeps what the subject does that its protocol never allows: a message of
// the wrong shape, a second response, a response to nothing, a request for something that we did not offer.

import { isRecord } from "@hawser/protocol/internal";
import { excerptOf } from "./excerpt.ts";
import { parseIfJson } from "./matchers.ts";
import { findMismatch } from "./pattern.ts";
import type { Dialect, Saying } from "./scenario.ts";

export interface DialectWatch {
  sent(bytes: Buffer): void;
  received(value: unknown): void;
}

const errorShape = { code: { $type: "integer" }, message: { $type: "string" } };
// The first one explains the failure.
const maxFaults = 20;

export function createDialectWatch({ requests, notifications, results }: Dialect, faults: string[]): DialectWatch {
  /** Our requests without a response, and the subject's, by their ids as JSON. */
  const ours = new Map<string, string>();
  const theirs = new Set<string>();
  let offered: unknown;
  let hasSentNonsense = false;

  const blame = (words: string): void => void (faults.length < maxFaults && faults.push(words));
  const compare = (pattern: unknown, value: unknown, what: string): void => {
    const words = findMismatch(pattern, value, emptyContext());
    if (words !== undefined) blame(`${what} of the wrong shape: ${words}`);
  };

  function noteOurs(message: unknown): void {
    if (!isRecord(message)) return void (hasSentNonsense = true);
    const { id, method, params } = message;
    const key = JSON.stringify(id);
    if (typeof method === "string" && id !== undefined) ours.set(key, method);
    else if (id !== undefined) theirs.delete(key);
    else if (method === undefined) hasSentNonsense = true;
    if (method === "initialize") offered = params;
  }

  function checkSaying(saying: Saying | undefined, method: string, params: unknown): void {
    if (saying === undefined) {
      if (!method.startsWith("_")) blame(`${excerptOf(method)}, which is no method that this protocol lets it use`);
      return;
    }
    const isOffered = saying.offered === undefined || findMismatch(saying.offered, offered, emptyContext()) === undefined;
    if (!isOffered) blame(`${method}, which the client did not offer in initialize`);
    compare(saying.params, params, method);
  }

  function checkResponse({ id, result, error }: Readonly<Record<string, unknown>>): void {
    const key = JSON.stringify(id) ?? "";
    const method = ours.get(key);
    if (method === undefined) {
      const isAboutNonsense = id === null && error !== undefined && hasSentNonsense;
      if (!isAboutNonsense) blame(`a response to no open request, or a second one: id ${key === "" ? "missing" : excerptOf(id)}`);
    }
    ours.delete(key);
    if ((result === undefined) === (error === undefined)) return blame(`a response to ${method} without exactly one of result and error`);
    if (error !== undefined) compare(errorShape, error, `an error in response to ${method}`);
    else if (method !== undefined && Object.hasOwn(results, method)) compare(results[method], result, `a result of ${method}`);
  }

  return {
    sent(bytes) {
      for (const line of bytes.toString("utf8").split("\n")) if (line.trim() !== "") noteOurs(parseIfJson(line));
    },
    received(message) {
      if (!isRecord(message)) return blame(`a message that is no object: ${excerptOf(message)}`);
      const { jsonrpc, id, method, params } = message;
      if (jsonrpc !== "2.0") blame(`a message without "jsonrpc": "2.0": ${excerptOf(message)}`);
      if (method === undefined) return checkResponse(message);
      if (typeof method !== "string") return blame(`a method that is no string: ${excerptOf(method)}`);
      if (id === undefined) return checkSaying(Object.hasOwn(notifications, method) ? notifications[method] : undefined, method, params);
      const key = JSON.stringify(id);
      if (theirs.has(key)) blame(`two open requests of its own with the id ${key}`);
      theirs.add(key);
      checkSaying(Object.hasOwn(requests, method) ? requests[method] : undefined, method, params);
    },
  };
}

const emptyContext = (): Parameters<typeof findMismatch>[2] => ({ bindings: new Map(), index: 0, text: "" });
