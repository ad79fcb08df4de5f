// Who may speak to the local server. The address that is printed carries a secret of this launch; whoever
// opens it gets a cookie, and only with one of the two is anything answered. A page of another origin has
// neither: the cookie is not sent across sites, the Host must be ours (a rebound name is not), and whatever
// changes something must come from our own page.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Access {
  /** For the address: `?key=…`. */
  readonly key: string;
  /** For the first answer: lets the browser in from now on. */
  readonly cookie: string;
  /** Undefined, or the status and the words of the refusal. */
  refuse(request: IncomingMessage, url: URL): Refusal | undefined;
}

export interface Refusal {
  readonly status: 400 | 403 | 405;
  readonly message: string;
}

export function createAccess(port: number): Access {
  const key = randomBytes(32).toString("base64url");
  // As a browser writes them: it leaves out the port that http has anyway.
  const hosts = ["127.0.0.1", "localhost"].map((name) => new URL(`http://${name}:${port}`).host);
  // Browsers keep cookies by name and host, whatever the port: two launches must not share one.
  const cookieName = `hawser-${port}`;

  const isKey = (given: string | null | undefined): boolean => typeof given === "string" && timingSafeEqual(digest(given), digest(key));

  function isFromOurPage({ headers, method }: IncomingMessage): boolean {
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none") return false;
    const isChange = method !== "GET" && method !== "HEAD";
    if (headers.origin === undefined) return !isChange && headers.upgrade === undefined;
    return headers.origin === `http://${headers.host}`;
  }

  return {
    key,
    cookie: `${cookieName}=${key}; Path=/; HttpOnly; SameSite=Strict`,
    refuse(request, url) {
      const { headers, method } = request;
      if (!hosts.includes(headers.host ?? "")) return { status: 403, message: "this server answers only to its own address" };
      if (!["GET", "HEAD", "POST"].includes(method ?? "")) return { status: 405, message: "no such method here" };
      if (!isFromOurPage(request)) return { status: 403, message: "this did not come from the page" };
      if (isKey(url.searchParams.get("key")) || readCookies(headers.cookie, cookieName).some(isKey)) return undefined;
      return { status: 403, message: "open the address that `hawser shell` printed: it carries the key" };
    },
  };
}

// Of equal length, whatever was given.
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** All of that name: another server of this machine may have set one too, which must not hide ours. */
function readCookies(header: string | undefined, name: string): string[] {
  const entries = (header ?? "").split(";").map((entry) => entry.trim());
  return entries.filter((entry) => entry.startsWith(`${name}=`)).map((entry) => entry.slice(name.length + 1));
}
