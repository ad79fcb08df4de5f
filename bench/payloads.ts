// What the contestants read: always the same bytes. Every message is a JSON-RPC notification, the
// one shape that all of the compared readers take, and carries a number, `size`, by whose sum a case
// checks that everything was read.

export interface Payload {
  readonly name: string;
  /** JSON text of each message, without line ends. */
  readonly texts: readonly string[];
  readonly bytes: number;
  readonly sizeSum: number;
}

interface SizedMessage {
  readonly params: { readonly size: number };
}

export const sizeOf = (message: unknown): number => (message as SizedMessage).params.size;

/** Lines of exactly 100 bytes with their line end, like the tokens of a streamed answer. */
export function shortMessages(totalBytes: number): Payload {
  const lineBytes = 100;
  return payload("100 B lines", totalBytes, (index) => {
    const text = notification("token", { id: `m-${index % 1000}`, size: index % 97, text: "" });
    return notification("token", { id: `m-${index % 1000}`, size: index % 97, text: words(lineBytes - 1 - text.length, index) });
  });
}

/** Messages of about 100 kB that are one long text, like a file that a tool has read. */
export function longTextMessages(totalBytes: number): Payload {
  return payload("100 kB lines, one long text", totalBytes, (index) => textMessage(100_000, index));
}

/** Messages of about 100 kB made of many small objects, like the rows of a query. */
export function denseMessages(totalBytes: number): Payload {
  return payload("100 kB lines, many small objects", totalBytes, (index) => {
    const items = Array.from({ length: 1_000 }, (_, at) => ({
      id: index * 1_000 + at,
      name: words(24, at),
      price: at * 1.25,
      tags: ["new", `group-${at % 7}`],
      isOpen: at % 3 === 0,
    }));
    return notification("rows", { size: items.length, items });
  });
}

/** One message that is a text of so many bytes, with a line break about every 60 characters. */
export function textMessage(bytes: number, seed = 0): string {
  const line = `${words(58, seed)}\n`;
  const text = line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
  return notification("result", { size: text.length, text });
}

export function toLines(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `${text}\n`).join(""));
}

/** The framing of the language server protocol. */
export function toContentLengthFrames(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`).join(""));
}

export function toChunks(bytes: Buffer, chunkBytes: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, at) => bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes));
}

function payload(name: string, totalBytes: number, create: (index: number) => string): Payload {
  const texts: string[] = [];
  let bytes = 0;
  for (let index = 0; bytes < totalBytes; index++) {
    const text = create(index);
    texts.push(text);
    bytes += text.length + 1;
  }
  return { name, texts, bytes, sizeSum: texts.reduce((sum, text) => sum + sizeOf(JSON.parse(text)), 0) };
}

const notification = (method: string, params: object): string => JSON.stringify({ jsonrpc: "2.0", method, params });

const vocabulary = "the rope ties a ship to its quay while tide and wind pull at both ends of it".split(" ");

function words(length: number, seed: number): string {
  let text = "";
  for (let at = seed; text.length < length; at++) text += `${vocabulary[at % vocabulary.length]} `;
  return text.slice(0, length);
}
