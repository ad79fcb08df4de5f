// An item becomes a request: method and address, headers and body, all checked. Pure: the same item,
// operation and target give the same request, and nothing in them leads away from the target.

import type { CallItem } from "@hawser/protocol";
import type { Target } from "../config/target.ts";
import { gatewayLimits } from "../limits.ts";
import type { OperationDescription, Parameter } from "../openapi/operation.ts";
import { assignParams, bodyNeeded, missingParameters } from "./assign-params.ts";
import { toRequestBody } from "./body.ts";
import { checkItem, operationIdOf, parseMethod } from "./call-item.ts";
import { encodeStrictly, isGiven, toCookieParts, toHeaderText, toPathText, toQueryParts, toQueryString } from "./parameter-styles.ts";
import { checkHeader, checkValue, isToken, type Pair, parseHeader, shown, usage, valueOf } from "./safe-text.ts";
import { splitPath, toPlainUrl, toTargetUrl } from "./target-url.ts";

export interface HttpRequest {
  readonly method: string;
  /** Below the target's address, whatever the item said; as a URL writes it, without a fragment. */
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly body?: string | Buffer | undefined;
}

// Most calls have neither query nor headers, and share this.
const none: readonly never[] = [];

/** `operation` is the description of `item.op`, and undefined for a call by path. Throws `usage`. */
export function buildRequest(item: CallItem, operation: OperationDescription | undefined, target: Target): HttpRequest {
  const plain = operation ? undefined : toPlainRequest(item, target);
  if (plain) return plain;
  const operationId = operationIdOf(item);
  if (operationId !== undefined && !operation) throw usage(`operation ${shown(operationId)} is not known`);
  const method = operation ? parseMethod(operation.method) : parseMethod(item.method);
  const query = item.query?.map(parseQueryEntry) ?? none;
  const headers = item.headers?.map((entry) => parseHeader(entry, target)) ?? none;
  const givenType = contentTypeOf(item, headers);
  const placed = operation ? placeParams(operation, item, { query, headers, target, givenType }) : placePath(item);
  checkItem(item, method);
  const { path, query: ownQuery } = splitPath(placed.path);
  const entries = query.map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`);
  const dryRun = item.dryRun === true ? ["dryRun=true"] : none;
  const url = toTargetUrl(target, path, [ownQuery, ...placed.query, ...entries, ...dryRun]);
  const body = toRequestBody(item, bodyOf(item, placed.body, operation), givenType, operation);
  let all: readonly Pair[] = placed.headers.length === 0 ? headers : [...headers, ...placed.headers];
  if (body) all = [...all.filter(([name]) => name.toLowerCase() !== "content-type"), ["content-type", body.contentType]];
  const bytes = all.reduce((sum, [name, value]) => sum + name.length + value.length + 4, url.length);
  const { maxRequestHeadBytes } = gatewayLimits;
  if (bytes > maxRequestHeadBytes) {
    const text = `address and headers have ${bytes} bytes; the limit is ${maxRequestHeadBytes} (maxRequestHeadBytes)`;
    throw usage(text, { maxRequestHeadBytes });
  }
  return { method, url, headers: all, body: body?.content };
}

// What says which request it is, or how it is made, and adds nothing to it.
const plainMembers = new Set(["method", "path", "yes", "timeout", "retry", "retryBackoff"]);

/** Most calls are a path and nothing else: they need none of the steps that put a request together. */
function toPlainRequest(item: CallItem, target: Target): HttpRequest | undefined {
  for (const name in item) if (!plainMembers.has(name)) return undefined;
  const url = toPlainUrl(target, item.path ?? "");
  if (url === undefined) return undefined;
  const method = parseMethod(item.method);
  checkItem(item, method);
  return { method, url, headers: none, body: undefined };
}

interface Placed {
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: readonly Pair[];
  readonly body: unknown;
}

function placePath(item: CallItem): Placed {
  const path = item.path?.trim() ?? "";
  if (path === "") throw usage("required: --path, or --op with an operation id");
  if (item.params && Object.keys(item.params).length > 0)
    throw usage("params belong to an operation; give op, or use query, headers and body", {
      asFlags: { message: "--param belongs to --op; with --path use --query, --header, --body" },
    });
  return { path, query: none, headers: none, body: undefined };
}

interface Beside {
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly target: Target;
  /** The content type that the item asks for. */
  readonly givenType: string | undefined;
}

function placeParams(operation: OperationDescription, item: CallItem, beside: Beside): Placed {
  const { values, body } = assignParams(operation, item.params ?? {}, beside.givenType);
  const missing = operation.parameters.filter((one) => one.required && !values.has(one) && !isBeside(one, beside));
  if (missing.length > 0) throw missingParameters(operation, missing);
  let { path } = operation;
  const query: string[] = [];
  const headers: Pair[] = [];
  const cookies: string[] = [];
  for (const [parameter, value] of values) {
    const { name } = parameter;
    if (parameter.in === "path") path = path.replaceAll(`{${name}}`, () => toPathText(parameter, value));
    else if (parameter.in === "query") query.push(...toQueryParts(parameter, value));
    else if (parameter.in === "querystring") query.push(toQueryString(parameter, value));
    else if (parameter.in === "header") headers.push(checkHeader(name, toHeaderText(parameter, value), beside.target));
    else cookies.push(...toCookieParts(parameter, value));
  }
  if (cookies.length > 0) headers.push(checkHeader("cookie", cookies.join("; "), beside.target));
  return { path, query, headers, body };
}

function isBeside({ name, in: place }: Parameter, { query, headers }: Beside): boolean {
  if (place === "querystring") return query.length > 0;
  if (place === "query") return query.some(([key]) => key === name);
  return place === "header" && valueOf(headers, name.toLowerCase()) !== undefined;
}

function parseQueryEntry(entry: string): Pair {
  const sign = entry.indexOf("=");
  const name = sign === -1 ? "" : entry.slice(0, sign).trim();
  if (name === "")
    throw usage(`invalid query entry ${shown(entry)}: expected key=value`, {
      asFlags: { message: `invalid --query ${shown(entry)}: expected key=value` },
    });
  return [checkValue(name, "query key"), checkValue(entry.slice(sign + 1), `query value of ${shown(name)}`)];
}

function bodyOf(item: CallItem, fromParams: unknown, operation: OperationDescription | undefined): unknown {
  if (isGiven(item.body) && isGiven(fromParams))
    throw usage("the body is given twice, as body and in params", {
      asFlags: { message: "the body is given twice, by --body or --form and by --param" },
    });
  const body = item.body ?? fromParams;
  if (operation?.requestBody?.required === true && !isGiven(body)) throw bodyNeeded(operation);
  return body;
}

function contentTypeOf(item: CallItem, headers: readonly Pair[]): string | undefined {
  const member = item.contentType?.trim() ?? "";
  const header = valueOf(headers, "content-type");
  if (member !== "" && header !== undefined && member !== header)
    throw usage("the content type is given twice, as contentType and as a header", {
      asFlags: { message: "the content type is given twice, by --content-type and by --header" },
    });
  const type = member === "" ? header : member;
  if (type !== undefined && !isToken(type.split("/", 1)[0] as string)) throw usage(`invalid content type ${shown(type)}`);
  return type;
}
