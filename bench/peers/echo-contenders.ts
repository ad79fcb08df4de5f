// What both echo rows need: for every contestant a child process that serves a Unix socket in one
// temporary directory, and a client that is connected to it.

import { connectBare, connectJsonRpc, connectProtocol, connectTransport, type EchoClient } from "./echo-clients.ts";
import { createTemporaryDirectory, readFirstLine, startProgram } from "../program.ts";
import type { RowContext } from "../row.ts";

export const ours = "hawser transport";
export const bare = "bare net + JSON";

/** About 200 bytes on the wire, with its id and kind. */
const echoValue = {
  tool: "read_file",
  arguments: { path: "src/harbour/moorings.ts", from: 120, to: 160, encoding: "utf8" },
  note: "the rope ties a ship to its quay while tide and wind pull",
};

const contenders = [
  { name: ours, program: "echo-transport", connect: connectTransport },
  { name: bare, program: "echo-bare", connect: connectBare },
  { name: "vscode-jsonrpc", program: "echo-jsonrpc", connect: connectJsonRpc },
  { name: "hawser echo protocol, all of it", program: "echo-protocol", connect: connectProtocol },
];

export interface EchoContender {
  readonly name: string;
  readonly client: EchoClient;
}

export async function connectEchoContenders(context: RowContext): Promise<EchoContender[]> {
  const directory = createTemporaryDirectory(context);
  const connected: EchoContender[] = [];
  for (const { name, program, connect } of contenders) {
    const server = await startProgram(context, program, { args: [directory] });
    const client = await connect(await readFirstLine(server));
    context.defer(() => client.close());
    connected.push({ name, client });
  }
  return connected;
}

/** An echo that comes back changed, or not from where it was sent, is no echo. */
export async function echoOnce(client: EchoClient, index: number): Promise<void> {
  const answer = (await client.echo({ ...echoValue, index })) as { index?: unknown } | undefined;
  if (answer?.index !== index) throw new Error("an echo came back with another value");
}
