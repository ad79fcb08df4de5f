// Says what a file is that is no UTF-8 text, from its first bytes, so that a model knows why it can't be read.

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
