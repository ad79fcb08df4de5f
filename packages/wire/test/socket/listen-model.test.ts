// Sessions under every order of what a program may do with them. A model of a few fields says what must
// be true after each step; fast-check looks for an order in which it is not.

import fs from "node:fs";
import type { Socket } from "node:net";
import { once } from "node:events";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { connectSocket } from "../../src/socket/connect.ts";
import { listenSocket, type Listener } from "../../src/socket/listen.ts";
import { createSessionFiles, type SessionFiles } from "../../src/socket/session-files.ts";
import { countDescriptors, it, until } from "../process/real-programs.ts";
import { ask, echo, namesIn, startSession } from "./sockets.ts";

interface Model {
  state: "idle" | "listening" | "closed";
  clients: number;
  isPublic: boolean;
}
interface Real {
  readonly directory: string;
  files: SessionFiles | undefined;
  listener: Listener | undefined;
  clients: Socket[];
}
type Command = fc.AsyncCommand<Model, Real>;

/** A command from its three parts; `name` is what a counterexample prints. */
function command(
  name: string,
  isPossible: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): fc.Arbitrary<Command> {
  return fc.constant({ check: isPossible, run, toString: () => name });
}

const always = (): boolean => true;
const isListening = ({ state }: Model): boolean => state === "listening";

const commands = [
  command(
    "start",
    ({ state }) => state !== "listening",
    async (model, real) => {
      real.files = createSessionFiles(namesIn(real.directory));
      real.listener = await listenSocket({ files: real.files, onConnection: echo });
      Object.assign(model, { state: "listening", clients: 0, isPublic: true });
      expect(fs.readdirSync(real.directory)).toHaveLength(2);
    },
  ),
  command("start again on the same files", isListening, async (_, { files }) => {
    await expect(listenSocket({ files: files!, onConnection: echo })).rejects.toMatchObject({ code: "usage" });
  }),
  command("start another session under the same name", isListening, async (_, { files }) => {
    await expect(startSession(files!.names)).rejects.toMatchObject({ code: "name_taken" });
  }),
  command("close", always, async (model, real) => {
    await real.listener?.close();
    if (model.state === "listening") Object.assign(model, { state: "closed", clients: 0, isPublic: false });
    await leave(real);
  }),
  command("close twice at once", always, async (model, real) => {
    await Promise.all([real.listener?.close(), real.listener?.close()]);
    if (model.state === "listening") Object.assign(model, { state: "closed", clients: 0, isPublic: false });
    await leave(real);
  }),
  command(
    "close during the start",
    ({ state }) => state !== "listening",
    async (model, { directory }) => {
      const files = createSessionFiles(namesIn(directory));
      const starting = listenSocket({ files, onConnection: echo });
      files.remove();
      await expect(starting).rejects.toMatchObject({ code: "closed" });
      expect(fs.readdirSync(directory)).toEqual([]);
      model.isPublic = false;
    },
  ),
  command("connect", always, async (model, real) => {
    if (!real.files) return;
    const attempt = connectSocket(real.files.names.socketPath);
    if (!model.isPublic) return expect(attempt).rejects.toMatchObject({ code: "connection_failed" });
    real.clients.push(await attempt);
    model.clients++;
    expect(await ask(real.clients.at(-1)!, "new")).toBe("new");
  }),
  command(
    "ask on the oldest connection",
    ({ clients }) => clients > 0,
    async (_, { clients }) => {
      expect(await ask(clients[0]!, "old")).toBe("old");
    },
  ),
  command(
    "leave with the oldest connection",
    ({ clients }) => clients > 0,
    async (model, real) => {
      const client = real.clients.shift()!;
      client.resume().end();
      await once(client, "close");
      model.clients--;
    },
  ),
  command(
    "remove the public name",
    ({ isPublic }) => isPublic,
    async (model, { files }) => {
      fs.unlinkSync(files!.names.socketPath);
      model.isPublic = false;
    },
  ),
];

async function leave(real: Real): Promise<void> {
  for (const client of real.clients) if (!client.destroyed) await once(client.resume().end(), "close");
  real.clients = [];
}

describe("a session", () => {
  it("SOK-17 keeps its promises in any order of start, close, connect, ask, leave and loss of its name", async ({ directory }) => {
    await (await startSession(namesIn(directory))).listener.close();
    const descriptors = countDescriptors();
    const listeners = process.listenerCount("exit");
    const property = fc.asyncProperty(fc.commands(commands, { maxCommands: 25 }), async (sequence) => {
      const real: Real = { directory, files: undefined, listener: undefined, clients: [] };
      await fc.asyncModelRun(() => ({ model: { state: "idle" as const, clients: 0, isPublic: false }, real }), sequence);
      if (real.listener && real.clients.length > 0)
        await until(() => real.listener!.connections === real.clients.length, 30_000, "all are counted");
      await real.listener?.close();
      await leave(real);
      expect(fs.readdirSync(directory)).toEqual([]);
      expect(process.listenerCount("exit")).toBe(listeners);
    });
    await fc.assert(property, { numRuns: 80 });
    await until(() => countDescriptors() <= descriptors, 30_000, "no descriptor is left");
  });
});
