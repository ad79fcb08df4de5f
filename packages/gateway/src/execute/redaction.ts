// Takes the token out of everything that leaves a call, in each spelling in which an API may echo it, also across the
// borders of chunks, and where it was cut off at the end of a truncated body.

const replacement = "[redacted]";
// A shorter token is not a secret, and taking out its letters would spoil every body.
const minTokenChars = 4;
const minBase64Chars = 6;

export interface Redactor {
  text(value: string): string;
  bytes(value: Buffer): Buffer;
  /** How many bytes at the end may be the beginning of a token. */
  openTail(value: Buffer): number;
}

export function createRedactor(token: string | undefined): Redactor {
  if (token === undefined || token.length < minTokenChars) return { text: (value) => value, bytes: (value) => value, openTail: () => 0 };
  const spellings = spellingsOf(token);
  const needles = spellings.map((spelling) => Buffer.from(spelling));
  return {
    text: (value) => spellings.reduce((text, spelling) => (text.includes(spelling) ? text.replaceAll(spelling, replacement) : text), value),
    bytes: (value) => needles.reduce(replaceBytes, value),
    openTail: (value) => Math.max(...needles.map((needle) => openTailOf(value, needle))),
  };
}

/** Takes chunks and gives them back without the token, holding back only what may be a part of it. */
export function createRedactingStream(redactor: Redactor): { push(chunk: Buffer): Buffer; end(): Buffer } {
  let held: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      const whole = redactor.bytes(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
      const cut = whole.length - redactor.openTail(whole);
      held = Buffer.from(whole.subarray(cut));
      return whole.subarray(0, cut);
    },
    end: () => held,
  };
}

/** Longest first, so that no spelling is taken apart by a shorter one. */
function spellingsOf(token: string): string[] {
  const percent = encodeURIComponent(token);
  const json = JSON.stringify(token).slice(1, -1);
  const html = token.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
  const lowerPercent = percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const base64 = [0, 1, 2].map((offset) => base64Core(token, offset)).filter((core) => core.length >= minBase64Chars);
  const base64Url = base64.map((core) => core.replaceAll("+", "-").replaceAll("/", "_"));
  const all = [token, percent, lowerPercent, encodeURI(token), json, json.replaceAll("/", "\\/"), html, ...base64, ...base64Url];
  return [...new Set(all)].toSorted((first, second) => second.length - first.length);
}

/** The characters that the token has in any base64 text in which it begins `offset` bytes after a multiple of three. */
function base64Core(token: string, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(token)]);
  return bytes.toString("base64").slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

function replaceBytes(value: Buffer, needle: Buffer): Buffer {
  let at = value.indexOf(needle);
  if (at === -1) return value;
  const parts: Buffer[] = [];
  let from = 0;
  for (; at !== -1; at = value.indexOf(needle, from)) {
    parts.push(value.subarray(from, at), Buffer.from(replacement));
    from = at + needle.length;
  }
  return Buffer.concat([...parts, value.subarray(from)]);
}

function openTailOf(value: Buffer, needle: Buffer): number {
  for (let length = Math.min(needle.length - 1, value.length); length > 0; length--) {
    if (value.compare(needle, 0, length, value.length - length) === 0) return length;
  }
  return 0;
}
