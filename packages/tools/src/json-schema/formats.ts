// What `format` asserts about a text. Every check takes time that grows with the length of the text only: expressions whose
// repetitions hold nothing that could match in two ways, and plain loops. A format that is not here asserts nothing.

import type { Check, Run } from "./checking.ts";
import { maxPatternChars } from "./pattern-cost.ts";

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && (isLeapDay || day <= (monthDays[month - 1] ?? 0));
}

function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (!match) return false;
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map(Number);
  const [offsetHour = 0, offsetMinute = 0] = match.slice(5).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  // A leap second is the last one of a day, in UTC.
  const day = 24 * 60;
  const offset = (match[4] === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return second < 60 || (hour * 60 + minute - offset + day) % day === day - 1;
}

const isDateTime = (text: string): boolean => /^.{10}[t ]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));

const clock = String.raw`(?:T(?:\dH(?:\dM(?:\dS)?)?|\dM(?:\dS)?|\dS))`;
const calendar = String.raw`(?:\dY(?:\dM(?:\dD)?)?|\dM(?:\dD)?|\dD)`;
const durationForm = new RegExp(`^P(?:\\dW|${calendar}${clock}?|${clock})$`);
const maxDurationNumbers = 6;

/** A number is one digit for the form, so that a long one is read only once; one number more than there may be is enough to see. */
function isDuration(text: string): boolean {
  let form = "";
  let end = 0;
  let count = 0;
  for (const { 0: digits, index } of text.matchAll(/\d+/g)) {
    if (index - end > 2 || ++count > maxDurationNumbers) return false;
    form += `${text.slice(end, index)}0`;
    end = index + digits.length;
  }
  return text.length - end <= 2 && durationForm.test(form + text.slice(end));
}

const isIpv4 = (text: string): boolean => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}(?<!\.)$/.test(text);

// Eight groups of four, of which the last two may be an IPv4 address.
const maxIpv6Chars = 45;

function isIpv6(text: string): boolean {
  if (text.length > maxIpv6Chars) return false;
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0) return false;
  const groups = [head, tail].flatMap((part) => (part === undefined || part === "" ? [] : part.split(":")));
  const last = groups.at(-1) ?? "";
  // Only at the very end, and never right before the gap.
  const endsInIpv4 = last.includes(".") && tail !== "" && isIpv4(last);
  const words = endsInIpv4 ? groups.slice(0, -1) : groups;
  if (!words.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return false;
  const count = words.length + (endsInIpv4 ? 2 : 0);
  return tail === undefined ? count === 8 : count <= 7;
}

const maxHostChars = 253;
const maxMailboxChars = 64;

const isHostname = (text: string): boolean =>
  text.length <= maxHostChars && text.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,62})$/i.test(label) && !label.endsWith("-"));

function isEmail(text: string): boolean {
  if (text.length > maxMailboxChars + 1 + maxHostChars) return false;
  const at = text.lastIndexOf("@");
  const name = text.slice(0, Math.max(0, at));
  const host = text.slice(at + 1);
  const isQuoted = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(name);
  const isPlain = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/i.test(name) && !/^\.|\.\.|\.$/.test(name);
  if (name.length > maxMailboxChars || !(isQuoted || isPlain)) return false;
  const address = /^\[(.*)\]$/.exec(host)?.[1];
  if (address === undefined) return isHostname(host);
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address);
}

// By what must not be there: an expression that matches a long text letter by letter overflows its stack.
const isPathText = (text: string): boolean => !/[^a-zA-Z0-9\-._~!$&'()*+,;=:@/%]|%(?![0-9a-fA-F]{2})/.test(text);
const isQueryText = (text: string): boolean => !/[^a-zA-Z0-9\-._~!$&'()*+,;=:@/?%]|%(?![0-9a-fA-F]{2})/.test(text);

/** `//user@host:port`, without the slashes. */
function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const user = text.slice(0, Math.max(0, at));
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text.slice(at + 1));
  if (!match || !isPathText(user) || /[/@]/.test(user)) return false;
  const [, host = "", port] = match;
  const literal = /^\[(.*)\]$/.exec(host)?.[1];
  if (literal !== undefined) return isIpv6(literal) || /^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i.test(literal);
  return (port === undefined || /^\d*$/.test(port)) && isPathText(host) && !/[:@/]/.test(host);
}

function isUriReference(text: string): boolean {
  const [, scheme, authority, path = "", query = "", fragment = ""] =
    /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text) ?? [];
  if (scheme !== undefined && !/^[a-z][a-z0-9+.-]*$/i.test(scheme)) return false;
  return (authority === undefined || isAuthority(authority)) && isPathText(path) && isQueryText(query) && isQueryText(fragment);
}

const isUri = (text: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(text) && isUriReference(text);

const badLiteral = /[\x00-\x20\x7f"<>\\^`}|]|%(?![0-9a-fA-F]{2})/;
const badVariable = /^$|[^a-zA-Z0-9_.%]|%(?![0-9a-fA-F]{2})|^\.|\.\.|\.$/;

// What a variable takes, in steps.
const stepsPerVariable = 1 / 2;

/** Every expression and every variable is a step, since millions of them fit into a text. */
function* isUriTemplate(text: string, run: Run): Check {
  for (let at = 0; ;) {
    const open = text.indexOf("{", at);
    if (badLiteral.test(text.slice(at, open < 0 ? text.length : open))) return false;
    if (open < 0) return true;
    const close = text.indexOf("}", open);
    if (close < 0) return false;
    const variables = text.slice(open + 1, close).replace(/^[+#./;?&=,!@|]/, "");
    for (let from = 0, end = 0; end < variables.length || from === 0; from = end + 1) {
      if (run.spend(stepsPerVariable)) yield undefined;
      end = variables.indexOf(",", from);
      if (end < 0) end = variables.length;
      if (badVariable.test(variables.slice(from, end).replace(/(?::[1-9]\d{0,3}|\*)$/, ""))) return false;
    }
    at = close + 1;
  }
}

/** Asserts nothing about an expression that is too long to be compiled here. */
function isRegex(text: string): boolean {
  if (text.length > maxPatternChars) return true;
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

const isJsonPointer = (text: string): boolean => (text === "" || text.startsWith("/")) && !/~(?![01])/.test(text);

type Format = (text: string, run: Run) => boolean | Check;

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["date", isDate],
  ["time", isTime],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["json-pointer", isJsonPointer],
  ["relative-json-pointer", (text) => /^(?:0|[1-9]\d*)(?:#$|\/|$)/.test(text) && isJsonPointer(text.replace(/^\d+#?/, ""))],
  ["regex", isRegex],
  ["uri", isUri],
  ["url", isUri],
  ["uri-reference", isUriReference],
  ["uri-template", isUriTemplate],
  ["uuid", (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
]);
