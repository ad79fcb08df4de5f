// The command line of the bridge process: `[options] <socket_path> <schema_path>`.

import { parseArgs } from "node:util";
import { HawserError, limits } from "@hawser/wire";

export interface BridgeOptions {
  readonly socketPath: string;
  readonly schemaPath: string;
  readonly connections: number;
  readonly reconnect: "lazy" | "never";
  readonly maxResultBytes: number;
  readonly follow: boolean;
  readonly check: boolean;
}

export const bridgeUsage = `usage: bridge [options] <socket_path> <schema_path>

An MCP server on stdin and stdout whose tools run in the program that owns the
socket. MCP clients start it; the configuration comes from that program.

options:
  --connections <n>       parallel calls, each on a connection of its own
                          (default ${limits.bridgeConnections})
  --reconnect lazy|never  after a lost connection: the next call opens a new
                          one, or all fail (default lazy)
  --max-result-bytes <n>  larger results go to a file, with a preview and a link
                          (default ${limits.maxResultBytes})
  --follow                the program may restart: read the schema file again
                          when it is another one, and tell the client
  --check                 connect, say hello, report, and exit
  --help                  print this
`;

/** Throws `usage` with a reason. */
export function parseBridgeOptions(args: readonly string[]): BridgeOptions {
  const { values, positionals } = parseCommandLine(args);
  const [socketPath, schemaPath] = positionals;
  if (socketPath === undefined || schemaPath === undefined || positionals.length > 2) {
    throw new HawserError("usage", `two paths are needed, the socket's and the schema file's; ${positionals.length} given`);
  }
  const { reconnect = "lazy" } = values;
  if (reconnect !== "lazy" && reconnect !== "never") throw new HawserError("usage", `--reconnect is lazy or never, not ${reconnect}`);
  if (reconnect === "never" && values.follow)
    throw new HawserError("usage", "--follow is for a program that comes back, and --reconnect never for one that does not; choose one");
  return {
    socketPath,
    schemaPath,
    connections: toCount("--connections", values.connections, limits.bridgeConnections, 1_024),
    reconnect,
    maxResultBytes: toCount("--max-result-bytes", values["max-result-bytes"], limits.maxResultBytes, limits.maxMessageBytes),
    follow: values.follow ?? false,
    check: values.check ?? false,
  };
}

type AskedOptions = { readonly [Name in "connections" | "reconnect" | "follow"]?: BridgeOptions[Name] | undefined };

/** What a session has to say to its bridges, as they take it; nothing where nothing was asked for. Throws `usage`. */
export function toBridgeArguments({ connections, reconnect, follow = false }: AskedOptions): string[] {
  const args = [
    ...(connections === undefined ? [] : ["--connections", String(connections)]),
    ...(reconnect === undefined ? [] : ["--reconnect", reconnect]),
    ...(follow ? ["--follow"] : []),
  ];
  parseBridgeOptions([...args, "socket", "schema"]);
  return args;
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
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

function toCount(option: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > max)
    throw new HawserError("usage", `${option} is a whole number from 1 to ${max}, not ${text}`);
  return count;
}
