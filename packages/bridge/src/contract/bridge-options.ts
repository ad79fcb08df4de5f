// The options of the bridge process. Its own command line is `[options] <socket_path> <schema_path>`; a session writes that
// command line for its clients.

import { parseArgs } from "node:util";
import { HawserError } from "@hawser/protocol";
import { wireLimits } from "@hawser/wire";
import { bridgeLimits } from "../limits.ts";

export interface BridgeOptions {
  readonly socketPath: string;
  readonly schemaPath: string;
  readonly connections: number;
  readonly reconnect: "lazy" | "never";
  readonly maxResultBytes: number;
  readonly follow: boolean;
  readonly check: boolean;
}

/** What may be left out has a default. */
export interface AskedBridgeOptions extends Pick<BridgeOptions, "socketPath" | "schemaPath"> {
  readonly connections?: string | number | undefined;
  readonly reconnect?: string | undefined;
  readonly maxResultBytes?: string | number | undefined;
  readonly follow?: boolean | undefined;
  readonly check?: boolean | undefined;
}

export const bridgeUsage = `usage: bridge [options] <socket_path> <schema_path>

An MCP server on stdin and stdout whose tools run in the program that owns the
socket. MCP clients start it; the configuration comes from that program.

options:
  --connections <n>       parallel calls, each on a connection of its own
                          (default ${bridgeLimits.bridgeConnections})
  --reconnect lazy|never  after a lost connection: the next call opens a new
                          one, or all fail (default lazy)
  --max-result-bytes <n>  larger results go to a file, with a preview and a link
                          (default ${bridgeLimits.maxResultBytes})
  --follow                the program may restart: read the schema file again
                          when it is another one, and tell the client
  --check                 connect, say hello, report, and exit
  --help                  print this
`;

/** Fills in the defaults. Throws `usage` with a reason. */
export function toBridgeOptions(asked: AskedBridgeOptions): BridgeOptions {
  const { reconnect = "lazy", follow = false } = asked;
  if (reconnect !== "lazy" && reconnect !== "never") throw new HawserError("usage", `--reconnect is lazy or never, not ${reconnect}`);
  if (reconnect === "never" && follow)
    throw new HawserError("usage", "--follow is for a program that comes back, and --reconnect never for one that does not; choose one");
  return {
    socketPath: asked.socketPath,
    schemaPath: asked.schemaPath,
    connections: toCount("--connections", asked.connections ?? bridgeLimits.bridgeConnections, 1_024),
    reconnect,
    maxResultBytes: toCount("--max-result-bytes", asked.maxResultBytes ?? bridgeLimits.maxResultBytes, wireLimits.maxMessageBytes),
    follow,
    check: asked.check ?? false,
  };
}

/** The process' own command line. Throws `usage` with a reason. */
export function parseBridgeOptions(args: readonly string[]): BridgeOptions {
  const { values, positionals } = parseCommandLine([...args]);
  const [socketPath, schemaPath] = positionals;
  if (socketPath === undefined || schemaPath === undefined || positionals.length > 2) {
    throw new HawserError("usage", `two paths are needed, the socket's and the schema file's; ${positionals.length} given`);
  }
  return toBridgeOptions({ ...values, socketPath, schemaPath, maxResultBytes: values["max-result-bytes"] });
}

type SessionAsks = { readonly [Name in "connections" | "reconnect" | "follow"]?: BridgeOptions[Name] | undefined };

/** What a session tells its bridges, as their command line; empty when it asks for nothing. Throws `usage`. */
export function toBridgeArguments(asked: SessionAsks): string[] {
  const { connections, reconnect, follow } = asked;
  toBridgeOptions({ ...asked, socketPath: "", schemaPath: "" });
  return [
    ...(connections === undefined ? [] : ["--connections", String(connections)]),
    ...(reconnect === undefined ? [] : ["--reconnect", reconnect]),
    ...(follow === true ? ["--follow"] : []),
  ];
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        connections: { type: "string" },
        reconnect: { type: "string" },
        "max-result-bytes": { type: "string" },
        follow: { type: "boolean" },
        check: { type: "boolean" },
      },
    });
  } catch (cause) {
    throw new HawserError("usage", (cause as Error).message, { cause });
  }
}

function toCount(option: string, given: string | number, max: number): number {
  const count = Number(given);
  if (!/^\d+$/.test(String(given)) || count < 1 || count > max)
    throw new HawserError("usage", `${option} is a whole number from 1 to ${max}, not ${given}`);
  return count;
}
