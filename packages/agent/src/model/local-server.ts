// Looks for a model server on this machine (Ollama, or what speaks like it) by asking for its list of
// models. Takes at most `localServerMs`, never throws, and leaves nothing open behind it.

import { isRecord } from "@hawser/protocol/internal";
import { agentLimits } from "../limits.ts";

const maxListBytes = 1_048_576;
const defaultPort = 11_434;

/** The base URL of Ollama's own interface for OpenAI's clients; OLLAMA_HOST as Ollama's own client takes it. */
export function ollamaBaseUrl(host: string | undefined): string {
  const text = (host ?? "").trim().replace(/\/+$/, "");
  const hasScheme = /^https?:\/\//i.test(text);
  const withHost = text === "" || text.startsWith(":") ? `127.0.0.1${text}` : text;
  const url = URL.parse(hasScheme ? text : `http://${withHost}`) ?? new URL("http://127.0.0.1");
  // An address that listens on every interface isn't one to connect to.
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !hasScheme) url.port = String(defaultPort);
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}/v1`;
}

/** The names of its models, the latest first; undefined if no server answers in time. */
export async function findLocalModels(baseUrl: string, timeoutMs = agentLimits.localServerMs): Promise<readonly string[] | undefined> {
  const { protocol, hostname, port, pathname, host } = new URL(`${baseUrl}/models`);
  if (protocol !== "http:") return undefined;
  // Bare, since to load Node's HTTP client takes longer than the answer. Version 1.0: the body ends with the connection.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(Number(port || 80), hostname.replaceAll(/^\[|\]$/g, ""));
    const timer = setTimeout(() => end(undefined), timeoutMs);
    const chunks: Buffer[] = [];
    let bytes = 0;
    function end(names: readonly string[] | undefined): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(names);
    }
    socket.on("connect", () => socket.write(`GET ${pathname} HTTP/1.0\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`));
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxListBytes) end(undefined);
    });
    socket.on("error", () => end(undefined));
    socket.on("end", () => end(namesIn(Buffer.concat(chunks).toString("utf8"))));
  });
}

function namesIn(response: string): readonly string[] | undefined {
  const head = response.indexOf("\r\n\r\n");
  if (head === -1 || !/^HTTP\/1\.[01] 200 /.test(response)) return undefined;
  try {
    const { data } = JSON.parse(response.slice(head)) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    const names = data.map((entry: unknown) => (isRecord(entry) ? entry["id"] : undefined));
    // Models that only turn text into numbers can't answer.
    return names.filter((name): name is string => typeof name === "string" && /^\S{1,150}$/.test(name) && !/embed/i.test(name));
  } catch {
    return undefined;
  }
}
