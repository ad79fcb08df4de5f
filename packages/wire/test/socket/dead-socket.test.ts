// One refused connection is proof on Linux only; elsewhere a listener with a full queue refuses, too.

import fs from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect } from "vitest";
import { isDeadSocket, proofFor } from "../../src/socket/leftovers.ts";
import { it } from "../process/real-programs.ts";
import { plantDeadSocket } from "./sockets.ts";

describe("isDeadSocket", () => {
  it("H11 asks once on Linux and several times elsewhere", () => {
    expect(proofFor("linux").refusals).toBe(1);
    for (const platform of ["darwin", "freebsd"] as const) expect(proofFor(platform)).toEqual({ refusals: 5, pauseMs: 100 });
  });

  it.for(["linux", "darwin"] as const)("H11 finds a dead socket with the proof of %s", async (platform, { directory }) => {
    const path = join(directory, "s");
    await plantDeadSocket(path);
    expect(await isDeadSocket(path, proofFor(platform))).toBe(true);
  });

  it("H11 takes a socket that refuses once and answers later for alive", async ({ directory }) => {
    const path = join(directory, "s");
    await plantDeadSocket(path);
    const server = createServer().listen(join(directory, "live"));
    await once(server, "listening");
    const asking = isDeadSocket(path, { refusals: 2, pauseMs: 1_000 });
    await sleep(200);
    fs.renameSync(join(directory, "live"), path);
    const answered = once(server, "connection");
    expect(await asking).toBe(false);
    await answered;
    server.close();
  });
});
