// Base64 text to bytes, strictly: what is no base64 is refused instead of being decoded to something else.

import { usage } from "./safe-text.ts";

export function fromBase64(value: unknown, what: string): Buffer {
  const text = typeof value === "string" ? value.replaceAll(/\s/g, "") : undefined;
  if (text === undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text) || text.replaceAll("=", "").length % 4 === 1) {
    throw usage(`${what} is not base64 text`);
  }
  return Buffer.from(text, "base64");
}
