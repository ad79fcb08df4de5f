// Which requests the local server takes. The page's files are public and hold no secret. Everything else needs a
// credential, which a browser never adds on its own. First of all the Host must be ours (not another name that was
// pointed at this machine), and every request but a plain visit must come from our own page.

import type { IncomingMessage } from "node:http";

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405;
  readonly message: string;
}

/** Returns what is wrong with a request, before its credential is looked at. */
export type RefuseRequest = (request: IncomingMessage, isPublic: boolean) => Refusal | undefined;

export const noCredential: Refusal = {
  status: 401,
  message: "this needs the page's credential; press Enter in the terminal for a new address",
};

export function createRefusals(port: number): RefuseRequest {
  // As a browser writes them: it leaves out the port that http has anyway.
  const hosts = ["127.0.0.1", "localhost"].map((name) => new URL(`http://${name}:${port}`).host);
  return (request, isPublic) => {
    const { headers, headersDistinct, method } = request;
    // No browser does this. This server and a proxy in front of it could each believe a different one of the two values.
    if (Object.values(headersDistinct).some((values = []) => values.length > 1)) return { status: 400, message: "a header came twice" };
    if (!hosts.includes(headers.host ?? "")) return { status: 403, message: "this server answers only to its own address" };
    if (!["GET", "HEAD", "POST"].includes(method ?? "")) return { status: 405, message: "no such method here" };
    if (!isFromOurPage(request, isPublic)) return { status: 403, message: "this did not come from the page" };
    return undefined;
  };
}

function isFromOurPage({ headers, method }: IncomingMessage, isPublic: boolean): boolean {
  const site = headers["sec-fetch-site"];
  const isOwnSite = site === undefined || site === "same-origin" || site === "none";
  // A link from anywhere may lead to the page, as the file that opens the browser does; it is not framed, and not read.
  const isVisit = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (!isOwnSite && !(isPublic && isVisit)) return false;
  const isChange = method !== "GET" && method !== "HEAD";
  if (headers.origin === undefined) return !isChange && headers.upgrade === undefined;
  return headers.origin === `http://${headers.host}`;
}

/** What follows `Authorization: Bearer`. */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\w-]+)$/.exec(headers.authorization ?? "")?.[1];
}
