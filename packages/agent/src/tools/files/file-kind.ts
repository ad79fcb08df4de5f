// What a file is by its content, whatever its name or its sender says: an image that models read, text, or something
// else, which is named so that a model knows why it can't be read.

const beginnings: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["52494646", "a RIFF file (WebP, WAV or AVI)"],
  ["25504446", "a PDF document"],
  ["504b0304", "a ZIP archive (or an Office document)"],
  ["1f8b", "gzip data"],
  ["28b52ffd", "Zstandard data"],
  ["7f454c46", "an ELF program"],
  ["4d5a", "a Windows program"],
  ["0061736d", "a WebAssembly module"],
  ["53514c69746520666f726d6174203300", "a SQLite database"],
  ["fffe", "UTF-16 text"],
  ["feff", "UTF-16 text"],
];

export function kindOf(head: Uint8Array): string {
  const hex = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 16)).toString("hex");
  return beginnings.find(([beginning]) => hex.startsWith(beginning))?.[1] ?? "binary data";
}

export const imageMimes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageMime = (typeof imageMimes)[number];

/** Enough bytes to tell an image. */
export const imageHeadBytes = 12;

export function imageMimeOf(head: Buffer): ImageMime | undefined {
  const begins = (bytes: string, at = 0): boolean => head.toString("latin1", at, at + bytes.length) === bytes;
  if (begins("\x89PNG\r\n\x1a\n")) return "image/png";
  if (begins("\xff\xd8\xff")) return "image/jpeg";
  if (begins("GIF87a") || begins("GIF89a")) return "image/gif";
  if (begins("RIFF") && begins("WEBP", 8)) return "image/webp";
  return undefined;
}

/** Undefined for bytes that aren't text: not UTF-8, or with a NUL in them. */
export function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a sender may mean by a mime type: an image of ours, some text, anything, or something we can't take. */
export function expectationOf(mime: string): ImageMime | "text" | "any" | "unsupported" {
  const name = mime.split(";")[0]?.trim().toLowerCase() ?? "";
  if (name === "image/jpg" || name === "image/pjpeg") return "image/jpeg";
  const image = imageMimes.find((known) => known === name);
  if (image !== undefined) return image;
  if (name === "" || name === "application/octet-stream") return "any";
  if (name.startsWith("text/") || /\+(?:json|xml|yaml)$/.test(name) || textApplications.test(name)) return "text";
  return "unsupported";
}

const textApplications =
  /^application\/(?:x-)?(?:json|jsonl|ndjson|json5|xml|yaml|toml|sql|graphql|javascript|ecmascript|typescript|sh|shellscript|python|ruby|perl|php|httpd-php|tex|latex|rtf|csv|markdown|properties|diff|patch|java|rust|go)$/;
