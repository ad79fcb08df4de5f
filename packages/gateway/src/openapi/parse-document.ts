// An OpenAPI document from its text: JSON or YAML, versions 2.0 and 3.0 to 3.2. Older ones are brought to 3.1, which
// 3.2 only adds to. What is no such document is refused with its name and the reason. Size, nesting and YAML
// aliases are bounded; nothing in a document is executed, and nothing it names is fetched.

import { setImmediate } from "node:timers/promises";
import { cutText, describeThrown, exceedsDepth, HawserError, isRecord, limits } from "@hawser/wire";
import { tooDeep, whyTooMuchContent, whyTooMuchText } from "./document-size.ts";
import type { JsonObject } from "./references.ts";
import { upgradeDocument } from "./upgrade-document.ts";

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
export async function parseText(text: string, name: string): Promise<JsonObject> {
  const { maxDocumentBytes } = limits;
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
  if (exceedsDepth(text, limits.maxDocumentDepth)) throw unreadable(name, tooDeep);
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
    const { maxDocumentDepth, maxAliasEntries } = limits;
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
  const text = cutText(`${name} is not an OpenAPI document that can be read: ${reason}`, limits.maxErrorTextChars);
  return new HawserError("usage", text, { cause, facts: { document: name } });
}
