// An OpenAPI document from its text: JSON or YAML, versions 2.0 and 3.0 to 3.2; older ones are brought to 3.1. Nothing in it
// is executed, and nothing it names is fetched. What it may hold is bounded before it is parsed and again once its aliases
// are known, since a short value costs a hundred times its text in memory, and an alias stands for a whole value.

import { setImmediate } from "node:timers/promises";
import { cutText, describeThrown, HawserError, isRecord, protocolLimits } from "@hawser/protocol/internal";
import { exceedsDepth } from "@hawser/wire/internal";
import { gatewayLimits } from "../limits.ts";
import type { JsonObject } from "./references.ts";

/** `name` is the file or address, for messages. Throws `usage`. */
export async function parseDocument(text: string, name: string): Promise<JsonObject> {
  const document = await parseText(text, name);
  checkVersion(document, name);
  try {
    return await upgradeDocument(document);
  } catch (cause) {
    throw unreadable(name, `it can't be brought to OpenAPI 3.1: ${describeThrown(cause)}`, cause);
  }
}

/** The document as it is written, without a look at what it says. */
async function parseText(text: string, name: string): Promise<JsonObject> {
  const { maxDocumentBytes } = gatewayLimits;
  if (text.length > maxDocumentBytes) throw unreadable(name, `it has more than ${maxDocumentBytes} bytes (maxDocumentBytes)`);
  const trimmed = text.replace(/^\uFEFF/, "").trimStart();
  if (trimmed === "") throw unreadable(name, "it is empty");
  const isJson = trimmed.startsWith("{");
  const tooMuch = whyTooMuchText(trimmed, isJson ? "JSON" : "YAML");
  if (tooMuch !== undefined) throw unreadable(name, tooMuch);
  const value = isJson ? await parseJson(trimmed, name) : await parseYaml(trimmed, name);
  if (!isRecord(value)) throw unreadable(name, "it is not an object with the member `openapi` or `swagger`");
  return value;
}

// With a pause after each look at the whole text, in which running calls go on.
async function parseJson(text: string, name: string): Promise<unknown> {
  await setImmediate();
  if (exceedsDepth(text, gatewayLimits.maxDocumentDepth)) throw unreadable(name, tooDeep);
  await setImmediate();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable(name, `it is not valid JSON: ${describeThrown(cause)}`, cause);
  } finally {
    await setImmediate();
  }
}

async function parseYaml(text: string, name: string): Promise<unknown> {
  const { CORE_SCHEMA, load, mergeTag } = await import("js-yaml");
  let value: unknown;
  try {
    const { maxDocumentDepth, maxAliasEntries } = gatewayLimits;
    value = load(text, { schema: CORE_SCHEMA.withTags(mergeTag), maxDepth: maxDocumentDepth, maxAliases: maxAliasEntries });
  } catch (cause) {
    throw unreadable(name, `it is not valid YAML: ${describeThrown(cause).split("\n", 1)[0]}`, cause);
  }
  const tooMuch = whyTooMuchContent(value);
  if (tooMuch !== undefined) throw unreadable(name, tooMuch);
  return value;
}

function checkVersion(document: JsonObject, name: string): void {
  const { openapi, swagger, paths } = document;
  // YAML reads an unquoted 2.0 as a number.
  const isSwagger = swagger === "2.0" || swagger === 2;
  if (!isSwagger && !(typeof openapi === "string" && /^3\.[012](\.|$)/.test(openapi))) {
    const found = openapi ?? swagger;
    const reason =
      found === undefined ? "it has no member `openapi` or `swagger`" : `its version is ${cutText(JSON.stringify(found) ?? "", 40)}`;
    throw unreadable(name, `${reason}; OpenAPI 3.0, 3.1, 3.2 and Swagger 2.0 are read`);
  }
  if (isSwagger) (document as Record<string, unknown>).swagger = "2.0";
  if (paths !== undefined && !isRecord(paths)) throw unreadable(name, "its `paths` is not an object");
}

function unreadable(name: string, reason: string, cause?: unknown): HawserError {
  const text = cutText(`${name} is not an OpenAPI document that can be read: ${reason}`, protocolLimits.maxErrorTextChars);
  return new HawserError("usage", text, { cause, facts: { document: name } });
}

const [lineFeed, blank, comma, dash, question, openBracket, backslash, openBrace] = [0x0a, 0x20, 0x2c, 0x2d, 0x3f, 0x5b, 0x5c, 0x7b];

/** Why the text is too much for its parser. Every value needs one of the marks that are counted; prose has a few too. */
function whyTooMuchText(text: string, notation: "JSON" | "YAML"): string | undefined {
  const isYaml = notation === "YAML";
  const limit = isYaml ? "maxDocumentYamlMembers" : "maxDocumentJsonMembers";
  const most = gatewayLimits[limit];
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === comma || unit === openBracket || unit === openBrace) marks++;
    else if (isYaml && (unit === lineFeed || unit === backslash)) marks++;
    else if (isYaml && (unit === dash || unit === question) && text.charCodeAt(at + 1) === blank) marks++;
    if (marks > most) return `it has more than ${most} values (${limit})`;
  }
  return undefined;
}

/** Why a YAML document is too much once every alias is written out; an alias may stand for the value that it is in. */
function whyTooMuchContent(root: unknown): string | undefined {
  const { maxDocumentMembers, maxDocumentDepth, maxDocumentBytes } = gatewayLimits;
  let members = 0;
  let chars = 0;
  function visit(value: unknown, depth: number): string | undefined {
    if (typeof value === "string") chars += value.length;
    if (chars > maxDocumentBytes) return `its aliases stand for more than ${maxDocumentBytes} bytes (maxDocumentBytes)`;
    if (typeof value !== "object" || value === null) return undefined;
    if (depth > maxDocumentDepth) return tooDeep;
    if (!Array.isArray(value)) for (const key in value) chars += key.length;
    for (const item of Array.isArray(value) ? value : Object.values(value)) {
      if (++members > maxDocumentMembers) return `its aliases stand for more than ${maxDocumentMembers} values (maxDocumentMembers)`;
      const problem = visit(item, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  return visit(root, 1);
}

const tooDeep = `it is nested deeper than ${gatewayLimits.maxDocumentDepth} levels (maxDocumentDepth)`;

type Upgrade = (document: Record<string, unknown>, version: "3.0" | "3.1") => unknown;

const entriesPerPiece = 40;

/** What is 3.1 or 3.2 already is left as it is. May change the document that it is given. */
async function upgradeDocument(document: JsonObject): Promise<JsonObject> {
  if (/^3\.[12]/.test(String(document.openapi))) return document;
  const { upgrade } = (await import("@scalar/openapi-upgrader")) as unknown as { upgrade: Upgrade };
  if (document.swagger !== undefined) cutMediaTypes(document);
  const old = upgrade(document as Record<string, unknown>, "3.0") as JsonObject;
  const upgraded: Record<string, unknown> = { ...old, openapi: "3.1.1" };
  if (isRecord(old.paths)) upgraded.paths = await inPieces(old.paths, (paths) => pieceOf(upgrade, { paths }).paths);
  if (isRecord(old.components)) {
    const sections: [string, unknown][] = [];
    for (const [name, section] of Object.entries(old.components)) {
      const toSection = (piece: JsonObject) => (pieceOf(upgrade, { components: { [name]: piece } }).components as JsonObject)[name];
      sections.push([name, isRecord(section) ? await inPieces(section, toSection) : section]);
    }
    upgraded.components = Object.fromEntries(sections);
  }
  return upgraded;
}

// Swagger 2 names them for all operations at once, and each operation gets all of them.
function cutMediaTypes(document: JsonObject): void {
  const pathItems = Object.values(isRecord(document.paths) ? document.paths : {}).filter(isRecord);
  const operations = pathItems.flatMap((pathItem) => Object.values(pathItem)).filter(isRecord);
  for (const { consumes, produces } of [document, ...operations]) {
    for (const list of [consumes, produces])
      if (Array.isArray(list)) list.length = Math.min(list.length, gatewayLimits.maxMediaTypeEntries);
  }
}

function pieceOf(upgrade: Upgrade, members: JsonObject): JsonObject {
  return upgrade({ openapi: "3.0.3", ...members }, "3.1") as JsonObject;
}

async function inPieces(whole: JsonObject, change: (piece: JsonObject) => unknown): Promise<JsonObject> {
  const entries = Object.entries(whole);
  const changed: [string, unknown][] = [];
  for (let from = 0; from < entries.length; from += entriesPerPiece) {
    const piece = Object.fromEntries(entries.slice(from, from + entriesPerPiece));
    changed.push(...Object.entries(change(piece) as JsonObject));
    await setImmediate();
  }
  return Object.fromEntries(changed);
}

/** Whether a document follows its specification, for people who write one. */
interface DocumentValidation {
  readonly valid: boolean;
  readonly specification?: string | undefined;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

const maxListed = 100;

/** Remote references are not followed. Throws `usage` if the text is not a JSON or YAML object. */
export async function validateDocument(text: string, name = "document"): Promise<DocumentValidation> {
  const document = await parseText(text, name);
  if (/^3\.2(\.|$)/.test(String(document.openapi)))
    throw new HawserError(
      "usage",
      `${name} is an OpenAPI 3.2 document: it can be used, but only versions up to 3.1 can be validated so far`,
    );
  const { validate } = await import("@readme/openapi-parser");
  try {
    const result = await validate(document as never, { resolve: { external: false }, dereference: { circular: "ignore" } });
    const errors = result.valid ? [] : messagesOf(result.errors);
    return { valid: result.valid, specification: result.specification ?? undefined, errors, warnings: messagesOf(result.warnings) };
  } catch (error) {
    // Thrown for what it does not take for a document at all, and for references that lead nowhere.
    const message = error instanceof Error ? error.message : "it can't be examined";
    if (HawserError.isInstance(error)) throw error;
    return { valid: false, errors: [cutText(message, protocolLimits.maxErrorTextChars)], warnings: [] };
  }
}

function messagesOf(details: readonly { readonly message: string }[]): string[] {
  return details.slice(0, maxListed).map(({ message }) => cutText(message, protocolLimits.maxErrorTextChars));
}
