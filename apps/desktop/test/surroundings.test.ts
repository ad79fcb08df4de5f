// Surroundings that are hostile, or just unlucky: signals, a keychain or a terminal that hangs, no bus, folders
// that can't be written. The app starts if it can, says what is wrong, and always ends without a trace.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { countReady, hasPidFile, startApp, untilLogged, untilReady } from "./bare-app.ts";
import { startedWith, stillRunning } from "./process-tree.ts";
import { application, greeting, prepare } from "./surroundings.ts";

describe("a signal ends the app, its runtime, and all that it has started", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s", async (signal) => {
    await using place = await prepare();
    const app = startApp(place);
    await untilReady(place);
    await expect.poll(() => hasPidFile(place)).toBe(true);
    const tree = app.tree();
    expect(tree.length).toBeGreaterThan(2);
    app.kill(signal);
    expect(await app.ended).toBe("0");
    await expect.poll(() => stillRunning(tree).map(({ command }) => command), { timeout: 20_000 }).toEqual([]);
    expect(hasPidFile(place)).toBe(false);
  });

  it("except one that whoever started it had switched off", async () => {
    await using place = await prepare();
    const app = startApp(place, ["/bin/sh", "-c", `trap "" HUP; exec "${application}" --debug-protocol`]);
    await untilReady(place);
    app.kill("SIGHUP");
    await sleep(1_000);
    expect(app.runtime()).toBeDefined();
    app.kill("SIGTERM");
    expect(await app.ended).toBe("0");
  });
});

it("a runtime that ignores everything, is stopped, and has children of its own, is gone when the app is", async () => {
  const stubborn = `
    const { spawn } = require("node:child_process");
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
    spawn("sleep", ["1000"]);
    setInterval(() => {}, 1000);`;
  await using place = await prepare({ runtime: greeting(stubborn) });
  const app = startApp(place);
  await untilReady(place);
  await expect.poll(() => app.tree().some(({ command }) => command === "sleep 1000")).toBe(true);
  const tree = app.tree();
  process.kill(app.runtime()?.pid ?? expect.fail("there is no runtime"), "SIGSTOP");
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
  await expect.poll(() => stillRunning(tree).map(({ command }) => command), { timeout: 20_000 }).toEqual([]);
  expect(hasPidFile(place)).toBe(false);
});

it("an app that is started while another one ends is a new one, and keeps its own runtime", async () => {
  const slow = `process.on("SIGTERM", () => setTimeout(() => process.exit(), 3000)); setInterval(() => {}, 1000);`;
  await using place = await prepare({ runtime: greeting(slow) });
  const first = startApp(place);
  await untilReady(place);
  first.kill("SIGTERM");
  await sleep(500);
  const second = startApp(place);
  await untilReady(place, 2);
  expect(await first.ended).toBe("0");
  expect(second.runtime()).toBeDefined();
  expect(hasPidFile(place)).toBe(true);
  second.kill("SIGTERM");
  expect(await second.ended).toBe("0");
  expect(hasPidFile(place)).toBe(false);
});

it("two that are started at the same moment are one", async () => {
  await using place = await prepare();
  const apps = [startApp(place), startApp(place)];
  const firstEnd = Promise.race(apps.map(async (app) => ({ app, code: await app.ended })));
  const { app: gone, code } = await firstEnd;
  expect(code).toBe("0");
  const stays = apps.find((app) => app !== gone) ?? expect.fail("both are gone");
  await untilReady(place);
  expect(stays.runtime()).toBeDefined();
  expect(countReady(place)).toBe(1);
  stays.kill("SIGTERM");
  expect(await stays.ended).toBe("0");
});

it("a keychain that does not answer does not hold up the end", async () => {
  // A service that is started for whoever asks, and never comes.
  const service = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 1000\n";
  await using place = await prepare({ home: { "data/dbus-1/services/org.freedesktop.secrets.service": service } });
  const app = startApp(place);
  await expect.poll(() => app.tree().some(({ command }) => command.includes("WebKitWebProcess")), { timeout: 30_000 }).toBe(true);
  await sleep(1_000);
  expect(countReady(place)).toBe(0);
  const before = Date.now();
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
  expect(Date.now() - before).toBeLessThan(20_000);
});

it("a shortcut that another program has is reported, and nothing else is wrong", async () => {
  await using other = await prepare();
  const first = startApp(other);
  await untilReady(other);
  await using place = await prepare({ env: { DISPLAY: other.env["DISPLAY"] } });
  const app = startApp(place);
  await untilReady(place);
  await untilLogged(place, "hawser: the shortcut can't be used: another program may have it");
  app.kill("SIGTERM");
  first.kill("SIGTERM");
  expect([await app.ended, await first.ended]).toEqual(["0", "0"]);
});

it("a desktop that lets nobody listen for a shortcut is named, and nothing else is wrong", async () => {
  await using place = await prepare({ env: { XDG_SESSION_TYPE: "wayland" } });
  const app = startApp(place);
  await untilReady(place);
  await untilLogged(place, "hawser: the shortcut can't be used: on Wayland no app may listen for one");
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
});

it("without a session bus it runs all the same", async () => {
  await using place = await prepare({ env: { DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere/bus" } });
  const app = startApp(place);
  await untilReady(place);
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
});

it.each([{ HOME: "" }, { HOME: undefined }])("without a home in its environment it uses the one that the system knows: %o", async (env) => {
  await using place = await prepare({ settings: { roots: [] }, env });
  const app = startApp(place);
  await untilReady(place);
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
});

it("folders that are relative mean nothing, as their standard has it: those of the home are used", async () => {
  const settings = JSON.stringify({ model: "offline", arguments: ["--no-such-argument"] });
  await using place = await prepare({
    home: { ".config/dev.hawser.desktop/settings.json": settings },
    env: { XDG_CONFIG_HOME: "relative/config", XDG_DATA_HOME: "relative/data", XDG_CACHE_HOME: "relative/cache" },
  });
  const app = startApp(place);
  await untilLogged(place, "--no-such-argument");
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
  expect(existsSync(join(place.folder, ".local/share/dev.hawser.desktop/workspace"))).toBe(true);
  for (const folder of [".", ".local/share/dev.hawser.desktop/workspace"])
    expect(existsSync(join(place.folder, folder, "relative"))).toBe(false);
});

it("a screen that is gone ends the app and all that it has started; the next one removes what was left", async () => {
  await using place = await prepare();
  const app = startApp(place);
  await untilReady(place);
  await expect.poll(() => hasPidFile(place)).toBe(true);
  const tree = app.tree();
  const screen = startedWith(place.folder).find(({ command }) => command.startsWith("Xvfb ")) ?? expect.fail("there is no screen");
  process.kill(screen.pid, "SIGTERM");
  expect(await app.ended).not.toBe("0");
  await expect.poll(() => stillRunning(tree).map(({ command }) => command), { timeout: 30_000 }).toEqual([]);
  expect(place.log()).not.toContain("panicked");
  const attachments = join(place.folder, "data/dev.hawser.desktop/attachments");
  const left = readdirSync(attachments);
  expect(left).toHaveLength(1);
  await using other = await prepare();
  const next = startApp({ ...place, env: { ...place.env, DISPLAY: other.env["DISPLAY"] } });
  await untilReady(place, 2);
  await expect.poll(() => readdirSync(attachments)).not.toContain(left[0]);
  next.kill("SIGTERM");
  expect(await next.ended).toBe("0");
  expect(hasPidFile(place)).toBe(false);
});

it("without a display it says so in one sentence", async () => {
  await using place = await prepare({ env: { DISPLAY: ":4242" } });
  expect(await startApp(place).ended).toBe("1");
  expect(place.log()).toContain("hawser: there is no display to open a window on");
  expect(place.log()).not.toContain("panicked");
});

it("folders that can't be written are named, and the window is there to say so", async () => {
  await using place = await prepare({ env: { XDG_CONFIG_HOME: "/proc/self/stat" } });
  const app = startApp(place);
  await untilLogged(place, "agent.json can't be written: ");
  await expect.poll(() => app.tree().some(({ command }) => command.includes("WebKitWebProcess")), { timeout: 30_000 }).toBe(true);
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
  expect(place.log()).not.toContain("panicked");
});

it("a home in which nothing can be made is named, and the window is there to say so", async () => {
  const none = { XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined, XDG_CACHE_HOME: undefined };
  await using place = await prepare({ env: { ...none, HOME: "/proc/1/home" } });
  const app = startApp(place);
  await untilLogged(place, "/proc/1/home/.local/share/dev.hawser.desktop can't be made: ");
  await untilLogged(place, "/proc/1/home/.config/dev.hawser.desktop/agent.json can't be written: ");
  await expect.poll(() => app.tree().some(({ command }) => command.includes("WebKitWebProcess")), { timeout: 30_000 }).toBe(true);
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
  expect(place.log()).not.toContain("panicked");
});

it("a terminal that reads nothing holds up neither the app nor its end", async () => {
  const loud = `const line = JSON.stringify({ type: "noise", text: "x".repeat(1000) }) + "\\n";
    process.stdin.on("end", () => process.exit()).resume();
    setInterval(() => { for (let i = 0; i < 200; i++) process.stderr.write("log " + line), process.stdout.write(line); }, 10);`;
  await using place = await prepare({ runtime: greeting(loud) });
  const app = startApp(place);
  await untilReady(place);
  app.hold();
  await sleep(2_000);
  app.kill("SIGTERM");
  expect(await app.ended).toBe("0");
});
