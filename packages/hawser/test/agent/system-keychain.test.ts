// The system's keychain where it hangs, is missing or is switched off: each is told within its time, nothing is left running, and the
// program that asked goes on meanwhile.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createSystemKeychain } from "../../src/agent/system-keychain.ts";

const folder = mkdtempSync(join(tmpdir(), "hawser-bus-"));
const sockets = new Set<Socket>();
// A bus that takes every connection and never says anything, as one whose keychain waits for a password.
const silent = createServer((socket) => void sockets.add(socket.on("error", () => {})));
const path = join(folder, "bus.sock");
await new Promise<void>((resolve) => silent.listen(path, resolve));
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

const asker = fileURLToPath(new URL("fixtures/keychain-asker.ts", import.meta.url));

const withBus = (address: string): NodeJS.ProcessEnv => ({ ...process.env, HAWSER_KEYCHAIN: undefined, DBUS_SESSION_BUS_ADDRESS: address });

describe.skipIf(process.platform !== "linux")("a keychain", () => {
  it("that hangs counts as not there after its time, blocks nothing meanwhile, and its process is gone", async () => {
    const connected = new Promise<Socket>((resolve) => silent.once("connection", resolve));
    const keychain = createSystemKeychain(withBus(`unix:path=${path}`), 1_500);
    const asked = keychain.set("anthropic", "sk-canary").then(
      () => "kept",
      (error: unknown) => String(error),
    );
    // The event loop turns while it is waited for.
    const socket = await Promise.race([connected, asked]);
    expect(await asked).toContain("it has not answered within 1500 ms");
    // A child that is too slow to connect in its time was ended as well.
    if (typeof socket !== "string" && !socket.destroyed) {
      socket.resume();
      await new Promise((resolve) => socket.once("close", resolve));
    }
  });

  it("G9 that hangs is left alone when the program that asked is killed: its helper ends too", async () => {
    const connected = new Promise<Socket>((resolve) => silent.once("connection", resolve));
    const asking = spawn(process.execPath, [asker], {
      env: withBus(`unix:path=${path}`),
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(() => void asking.kill("SIGKILL"));
    const socket = (await connected).resume();
    asking.kill("SIGKILL");
    // Only the helper holds it.
    await once(socket, "close");
    expect(socket.destroyed).toBe(true);
  });

  it("that is missing, or switched off, says so at once", async () => {
    await expect(createSystemKeychain(withBus(`unix:path=${path}.none`)).get("anthropic")).rejects.toThrow("DBus error");
    await expect(createSystemKeychain({ HAWSER_KEYCHAIN: "off" }).set("anthropic", "x")).rejects.toThrow("HAWSER_KEYCHAIN is off");
  });
});
