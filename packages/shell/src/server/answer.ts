// What the local server answers: the page's files to every request; a credential in exchange for a key that was not used;
// and with a credential, keys for further tabs and the files of this launch.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { errorTable, HawserError, toHawserError } from "@hawser/protocol";
import { attemptHeader } from "../link/page-frames.ts";
import { orUndefined } from "../or-undefined.ts";
import { noCredential, readBearer, type Refusal, type RefuseRequest } from "./access.ts";
import type { Credentials } from "./credentials.ts";
import type { DroppedFiles } from "./dropped-files.ts";
import type { PageFile } from "./page-files.ts";
import { jsonReply, textReply, type Reply } from "./respond.ts";

export interface AnswerOptions {
  readonly page: ReadonlyMap<string, PageFile>;
  readonly files: DroppedFiles;
  readonly credentials: Credentials;
  readonly refuse: RefuseRequest;
  trust(socket: Socket): void;
}

/** Rejects for what fails in between; see `toFailedReply`. */
export function createAnswer({ page, files, credentials, refuse, trust }: AnswerOptions): (request: IncomingMessage) => Promise<Reply> {
  return async (request) => {
    const path = toPath(request);
    if (path === undefined) return toRefusal({ status: 400, message: "not an address" });
    const isChange = request.method === "POST";
    const file = isChange ? undefined : page.get(path);
    const refusal = refuse(request, file !== undefined);
    if (refusal) return toRefusal(refusal);
    if (file) return { status: 200, ...file };
    const bearer = readBearer(request);
    if (isChange && path === "/credentials") {
      const { [attemptHeader]: attempt } = request.headersDistinct;
      const credential = bearer === undefined ? undefined : credentials.exchange(bearer, attempt?.[0]);
      if (credential === undefined) return toRefusal(badKey);
      trust(request.socket);
      return jsonReply(201, { credential });
    }
    const grant = credentials.find(bearer);
    if (!grant) return toRefusal(noCredential);
    trust(request.socket);
    if (isChange && path === "/keys") return jsonReply(201, { key: credentials.newTabKey(grant) });
    if (isChange) return path === "/files" ? keepFile(request, files) : textReply(404, "nothing takes this");
    // A page asks whether its credential still counts: a browser does not say why a link was refused.
    if (path === "/credentials") return jsonReply(200, { isKnown: true });
    const kept = await files.read(path);
    return kept ? { status: 200, ...kept } : textReply(404, "nothing is here");
  };
}

const badKey: Refusal = {
  status: 401,
  message: "this key was used before, or belongs to a shell that has ended; press Enter in the terminal for a new address",
};

async function keepFile(request: IncomingMessage, files: DroppedFiles): Promise<Reply> {
  const name = request.headers["x-file-name"];
  if (typeof name !== "string") throw new HawserError("usage", "a file needs its name in the header x-file-name");
  const decoded = orUndefined(() => decodeURIComponent(name)) ?? name;
  return jsonReply(201, await files.keep(decoded, request as AsyncIterable<Buffer>));
}

/** Nothing more is read from a connection that was refused. */
function toRefusal({ status, message }: Refusal): Reply {
  const more: Record<string, string> =
    status === 405 ? { Allow: "GET, HEAD, POST" } : status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  return textReply(status, message, { Connection: "close", ...more });
}

export function toFailedReply(thrown: unknown): Reply {
  const { code, message } = toHawserError(thrown);
  const status = code === "too_large" ? 413 : code === "overloaded" ? 507 : code === "usage" ? 400 : 500;
  return jsonReply(status, { error: `${errorTable[code].agentText}: ${message}` });
}

/** Undefined unless it is a path: a host in the request line is not believed. */
export function toPath({ url = "" }: IncomingMessage): string | undefined {
  return url.startsWith("/") ? URL.parse(`http://shell${url}`)?.pathname : undefined;
}
