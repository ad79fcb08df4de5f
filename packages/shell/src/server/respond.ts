// How every answer leaves: with the headers that keep the page alone. Nothing runs that is not a file of the
// page, nothing is loaded from elsewhere, no other page can frame it, and nothing that carries a secret is cached.

import type { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";

export interface Reply {
  readonly status: number;
  readonly type: string;
  /** A stream comes with its length among the headers. */
  readonly body: string | Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createRespond(port: number): (response: ServerResponse, reply: Reply) => void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob: data:",
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const common = {
    "Content-Security-Policy": policy,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
  };
  return (response, { status, type, body, headers }) => {
    const isHead = response.req.method === "HEAD";
    // Bytes are not copied: many who don't read wait for the same ones.
    const content = typeof body === "string" ? Buffer.from(body) : body;
    const length = content instanceof Readable ? {} : { "Content-Length": content.length };
    response.writeHead(status, { ...common, "Content-Type": type, ...length, ...headers });
    if (content instanceof Readable && !isHead) {
      // The end of either ends the other.
      pipeline(content, response, () => {});
    } else {
      if (content instanceof Readable) content.destroy();
      response.end(isHead ? undefined : content);
    }
  };
}

export const textReply = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  type: "text/plain; charset=utf-8",
  body: `${message}\n`,
  headers,
});

export const jsonReply = (status: number, value: unknown): Reply => ({
  status,
  type: "application/json; charset=utf-8",
  body: JSON.stringify(value),
});
