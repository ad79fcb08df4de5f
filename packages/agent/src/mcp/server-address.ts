// Where an MCP server is: a program to start, or an address. `${NAME}` and `${NAME:-otherwise}` in any text
// of the configuration stand for variables of our environment, so that no secret has to be in the file.

import { HawserError } from "@hawser/protocol";
import { hawserCommand } from "@hawser/wire/internal/node";
import type { ConfiguredServer } from "../config/agent-config.ts";
import { createHiding } from "../hide-secrets.ts";

export type ServerAddress =
  | {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/**
 * Throws `usage` that says what is missing; never with the value of a variable. `hide` gives a text without what the configuration
 * gives the server to prove who we are: it may say it back in an error.
 */
export function locateServer(server: ConfiguredServer, environment: NodeJS.ProcessEnv, name: string) {
  const values: string[] = [];
  const expand = (text: string): string =>
    text.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise: string | undefined) => {
      const value = environment[name] ?? otherwise;
      if (value === undefined) throw new HawserError("usage", `the environment variable ${name} is not set, which its configuration names`);
      values.push(value);
      return value;
    });
  const expandAll = (record: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, expand(value)]));
  const address = toAddress();
  values.push(...Object.values(address.type === "stdio" ? address.env : address.headers));
  // `Bearer <token>` is more than the token.
  return { address, hide: createHiding(values.flatMap((value) => [value, ...value.split(/\s+/)])) };

  function toAddress(): ServerAddress {
    const { type, command, args = [], env, cwd, url, headers, fleet } = server;
    if (fleet !== undefined) {
      const { service = name, credentials } = server;
      const more = credentials === undefined ? [] : ["--fleet-credentials", expand(credentials)];
      // A process of its own, as every other server: nothing of NATS is loaded into the runtime.
      const [program, ...first] = hawserCommand();
      return {
        type: "stdio",
        command: program,
        args: [...first, "bridge", "--fleet", expand(fleet), "--service", service, ...more],
        env: {},
        cwd: undefined,
      };
    }
    if (url !== undefined) return { type: type === "sse" ? "sse" : "http", url: checkUrl(expand(url)), headers: expandAll(headers) };
    if (command === undefined) throw new HawserError("usage", "it has neither a command nor a url");
    const folder = cwd === undefined ? undefined : expand(cwd);
    return { type: "stdio", command: expand(command), args: args.map(expand), env: expandAll(env), cwd: folder };
  }
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // fetch refuses such an address, and its error would show them.
  if (url?.username || url?.password) throw new HawserError("usage", "its url holds a name or password; give them as a header");
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new HawserError("usage", "its url is not an http or https address");
}
