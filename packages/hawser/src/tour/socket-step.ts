// The tour, step six: a session on a Unix socket, private while it lives and gone when it ends.

import fs from "node:fs";
import { basename, dirname } from "node:path";
import { HawserError } from "@hawser/protocol";
import { isSettledWithin } from "@hawser/wire/internal";
import { connectSocket, createStreamTransport, lengthPrefix, type Child, type Codec } from "@hawser/wire/node";
import { createEchoClient } from "./stage.ts";
import type { Stage } from "./stage.ts";
import { formatMs, time } from "./stage.ts";

const endMs = 15_000;

/** What `hawser echo --socket` prints is a line of text, not a message. */
const textLines: Codec = {
  name: "text-lines",
  createDecoder() {
    const decoder = new TextDecoder();
    let held = "";
    return {
      push(chunk) {
        const lines = `${held}${decoder.decode(chunk, { stream: true })}`.split("\n");
        held = lines.pop() ?? "";
        return lines.map((text, index) => ({ kind: "message", value: text, text, position: index + 1 }));
      },
      end: () => [],
      get isMidMessage() {
        return held !== "";
      },
    };
  },
  encode: () => Buffer.alloc(0),
};

export async function showSocketSession(stage: Stage): Promise<void> {
  stage.title("A session on a Unix socket");
  const child = await stage.start(["echo", "--socket"], textLines);
  const socketPath = await readFirstLine(child);
  const paths = process.platform === "win32" ? [] : [socketPath, socketPath.replace(/\.sock$/, ".d")];
  if (paths.length > 0) stage.fact(`in ${dirname(socketPath)}:`);
  for (const path of paths) stage.fact(`${formatMode(fs.lstatSync(path).mode)}  ${basename(path)}`);
  const isPrivate = paths.every((path) => (fs.lstatSync(path).mode & 0o077) === 0);
  const answered = await askOverSocket(stage, socketPath);
  child.kill("SIGTERM");
  // On a busy machine it needs its time; stopping it would send a second signal, which means "at once" and has another exit code.
  await isSettledWithin(child.exited, endMs);
  const { code, signal } = await child.stop();
  const left = paths.filter((path) => fs.existsSync(path));
  stage.fact(`after SIGTERM: ${signal ?? `exit code ${code}`}, ${left.length === 0 ? "nothing" : left.join(", ")} is left of it`);
  stage.prove("a session is private and leaves nothing behind", isPrivate && answered && left.length === 0 && code === 0);
}

async function readFirstLine(child: Child): Promise<string> {
  for await (const item of child.transport.incoming) if (item.kind === "message") return String(item.value);
  throw new HawserError("start_failed", "`hawser echo --socket` ended before it listened; run it by hand to see why");
}

async function askOverSocket(stage: Stage, path: string): Promise<boolean> {
  const { result: socket, ms: connectMs } = await time(connectSocket(path));
  const transport = createStreamTransport({ readable: socket, writable: socket, codec: lengthPrefix });
  const client = createEchoClient(transport, () => Promise.resolve("the session ended"));
  await client.call({ kind: "echo", value: "warm" });
  const { result, ms } = await time(client.call({ kind: "echo", value: "over the socket" }));
  stage.fact(`connected in ${formatMs(connectMs)}; a round trip takes ${formatMs(ms)}`);
  await transport.close();
  return result.type === "echoed" && result.value === "over the socket";
}

function formatMode(mode: number): string {
  const kind = (mode & 0o170000) === 0o140000 ? "s" : (mode & 0o170000) === 0o040000 ? "d" : "-";
  const bits = [0o400, 0o200, 0o100, 0o040, 0o020, 0o010, 0o004, 0o002, 0o001];
  return kind + bits.map((bit, index) => (mode & bit ? "rwx"[index % 3] : "-")).join("");
}
