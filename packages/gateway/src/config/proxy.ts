// Which proxy a request goes through, from the variables that curl and others know. This machine itself is never asked for
// through a proxy. Messages never contain the value of a variable, which may hold a password.

import { BlockList, isIP } from "node:net";
import { configError, type Environment } from "./config-file.ts";

export interface Proxy {
  /** An http or https origin, without user name and password. */
  readonly origin: string;
  /** Host and port, for messages. */
  readonly address: string;
  /** What goes into `proxy-authorization`. */
  readonly authorization?: string | undefined;
  /** The variable that names it, for messages. */
  readonly variable: string;
}

/** Undefined where the address is asked for directly. Throws `usage` for a variable that names no proxy. */
export function findProxy(target: URL, env: Environment = process.env): Proxy | undefined {
  const name = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [name.toLowerCase(), name, "all_proxy", "ALL_PROXY"].find((each) => isGiven(each, env));
  // Mostly there is none, and nothing more is looked at.
  return variable === undefined || isDirect(target, env) ? undefined : parseProxy(env[variable]?.trim() ?? "", variable);
}

/** In a CGI program, HTTP_PROXY is the header `Proxy` of the request: its sender would choose our proxy. */
const isGiven = (variable: string, env: Environment): boolean =>
  (env[variable]?.trim() ?? "") !== "" && !(variable === "HTTP_PROXY" && env["REQUEST_METHOD"] !== undefined);

function isDirect(target: URL, env: Environment): boolean {
  const host = target.hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  const isLocal = host === "localhost" || host.endsWith(".localhost") || isInRange(host, "127.0.0.0", 8) || isInRange(host, "::1", 128);
  return isLocal || isExempt(host, portOf(target), env["no_proxy"] || env["NO_PROXY"] || "");
}

function parseProxy(value: string, variable: string): Proxy {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === "") throw configError(`${variable} is not the address of a proxy, such as http://proxy.example:3128`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw configError(`${variable} names a proxy of the kind ${url.protocol}//; only http:// and https:// ones are supported`);
  const credentials = `${decode(url.username, variable)}:${decode(url.password, variable)}`;
  return {
    origin: url.origin,
    address: `${url.hostname}:${portOf(url)}`,
    ...(credentials !== ":" && { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
    variable,
  };
}

function decode(text: string, variable: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw configError(`user name or password in ${variable} is not percent-encoded correctly`);
  }
}

/** Host names, which stand for what is below them too, addresses and ranges of them, each perhaps with a port; or `*`. */
function isExempt(host: string, port: number, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = "", wantedPort] = /^(\*|\[[^\]]+\]|[^:]+|[^\]]*:[^\]]*:[^\]]*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (name === "" || (wantedPort !== undefined && Number(wantedPort) !== port)) return false;
    return name === "*" || isSameHost(host, name.toLowerCase().replace(/^\[(.*)\]$/, "$1"));
  });
}

function isSameHost(host: string, entry: string): boolean {
  const [address = "", bits] = entry.split("/");
  const family = isIP(address);
  if (bits !== undefined && family !== 0) return isInRange(host, address, Number(bits));
  if (isIP(host) !== 0) return family !== 0 && isInRange(host, address, family === 4 ? 32 : 128);
  const name = entry.replace(/^\*?\./, "").replace(/\.$/, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function isInRange(host: string, network: string, bits: number): boolean {
  const family = isIP(network) === 4 ? "ipv4" : "ipv6";
  if (isIP(host) !== isIP(network) || !Number.isInteger(bits) || bits < 0 || bits > (family === "ipv4" ? 32 : 128)) return false;
  const range = new BlockList();
  range.addSubnet(network, bits, family);
  return range.check(host, family);
}

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === "https:" ? 443 : 80);
