// What stands in messages as text: JSON objects, and headers, which hold visible ASCII only.

import { isRecord } from "@hawser/protocol/internal";

/** Undefined for what isn't a JSON object. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const toHeaderText = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Undefined for what `toHeaderText` has not written. */
export function fromHeaderText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
