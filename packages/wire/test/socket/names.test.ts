// Names and lengths of session files. Nothing here touches the disk except to show that nothing was left.

import fs from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, vi } from "vitest";
import { HawserError, SocketPathTooLong } from "@hawser/protocol/internal";
import { connectSocket } from "../../src/socket/connect.ts";
import { checkSocketPath, createSessionNames, readLeftoverName } from "../../src/socket/names.ts";
import { createSessionFiles } from "../../src/socket/session-files.ts";
import { it } from "../process/real-programs.ts";

const uuid = "0123456789abcdef0123456789abcdef";
const fileNameBytes = `/claudecode_ipc_${uuid}.sock`.length;
/** A directory path under which the socket's path has exactly this many bytes. */
const directoryFor = (pathBytes: number): string => `/${"d".repeat(pathBytes - fileNameBytes - 1)}`;

afterEach(() => {
  vi.unstubAllEnvs();
});

function thrownBy(action: () => unknown): HawserError {
  try {
    action();
  } catch (error) {
    return error as HawserError;
  }
  throw new Error("nothing was thrown");
}

describe("createSessionNames", () => {
  it("R48 puts the socket, the schema and the private directory of one uuid side by side", () => {
    const names = createSessionNames({ directories: ["/run/user/7"], uuid, platform: "linux" });
    expect(names).toEqual({
      uuid,
      directory: "/run/user/7",
      socketPath: `/run/user/7/claudecode_ipc_${uuid}.sock`,
      schemaPath: `/run/user/7/claudecode_ipc_schema_${uuid}.json`,
      privateDirectory: `/run/user/7/claudecode_ipc_${uuid}.d`,
    });
    expect(createSessionNames().socketPath).toMatch(/claudecode_ipc_[0-9a-f]{32}\.sock$/);
  });

  it("R56 never gives the same name twice in ten thousand", () => {
    const paths = Array.from({ length: 10_000 }, () => createSessionNames().socketPath);
    expect(new Set(paths).size).toBe(10_000);
    expect(paths.every((path) => /claudecode_ipc_[0-9a-f]{32}\.sock$/.test(path))).toBe(true);
  });

  it("H20 uses the temporary directory while the path fits", () => {
    vi.stubEnv("TMPDIR", directoryFor(107));
    vi.stubEnv("XDG_RUNTIME_DIR", "/run/user/7");
    expect(createSessionNames({ platform: "linux" }).directory).toBe(directoryFor(107));
  });

  it("H20 falls back to XDG_RUNTIME_DIR, then to /tmp, when the path is one byte too long", ({ directory }) => {
    vi.stubEnv("TMPDIR", directoryFor(108));
    vi.stubEnv("XDG_RUNTIME_DIR", directory);
    expect(createSessionNames({ platform: "linux" }).directory).toBe(directory);
    vi.stubEnv("XDG_RUNTIME_DIR", directoryFor(200));
    expect(createSessionNames({ platform: "linux" }).directory).toBe("/tmp");
    vi.stubEnv("XDG_RUNTIME_DIR", undefined);
    expect(createSessionNames({ platform: "linux" }).directory).toBe("/tmp");
  });

  it("H20 never falls back into the working directory because a variable is set but empty", () => {
    vi.stubEnv("TMPDIR", directoryFor(108));
    vi.stubEnv("XDG_RUNTIME_DIR", "");
    expect(createSessionNames({ platform: "linux" }).directory).toBe("/tmp");
  });

  it("makes a relative temporary directory absolute, so that a later chdir changes nothing", () => {
    vi.stubEnv("TMPDIR", "t");
    expect(createSessionNames({ platform: "linux" }).directory).toBe(join(process.cwd(), "t"));
  });

  it("H20 allows 107 bytes on Linux and 103 on macOS, counted in bytes and not in characters", () => {
    const fits = (pathBytes: number, platform: NodeJS.Platform): boolean =>
      createSessionNames({ directories: [directoryFor(pathBytes), "/tmp"], uuid, platform }).directory !== "/tmp";
    expect([fits(107, "linux"), fits(108, "linux"), fits(103, "darwin"), fits(104, "darwin")]).toEqual([true, false, true, false]);
    const accented = `/${"é".repeat(28)}`;
    expect(`${accented}/claudecode_ipc_${uuid}.sock`.length).toBeLessThan(103);
    expect(createSessionNames({ directories: [accented, "/tmp"], uuid, platform: "linux" }).directory).toBe("/tmp");
  });

  it("H20 refuses with SocketPathTooLong, the path and the remedy when no directory is short enough", () => {
    const directories = [directoryFor(130), directoryFor(131)];
    const error = thrownBy(() => createSessionNames({ directories, uuid, platform: "darwin" }));
    const path = `${directories[0]}/claudecode_ipc_${uuid}.sock`;
    expect(error).toBeInstanceOf(SocketPathTooLong);
    expect({ code: error.code, facts: error.facts }).toEqual({ code: "path_too_long", facts: { path, bytes: 130, maxBytes: 103 } });
    expect(error.message).toContain(path);
    expect(error.message).toContain("TMPDIR");
  });

  it("H20 names a pipe on Windows, where length does not matter", () => {
    const names = createSessionNames({ directories: [directoryFor(200)], uuid, platform: "win32" });
    expect(names.socketPath).toBe(`\\\\.\\pipe\\claudecode_ipc_${uuid}`);
    expect(() => checkSocketPath("x".repeat(500), "win32")).not.toThrow();
  });
});

describe("a path that is too long", () => {
  it("O11 is refused before anything is created, for whoever listens or connects", async ({ directory }) => {
    const long = join(directory, "n".repeat(130 - directory.length - fileNameBytes - 1));
    fs.mkdirSync(long);
    const socketPath = join(long, `claudecode_ipc_${uuid}.sock`);
    expect(Buffer.byteLength(socketPath)).toBe(130);
    expect(thrownBy(() => createSessionNames({ directories: [long], uuid })).code).toBe("path_too_long");
    const forced = { ...createSessionNames({ directories: [long], uuid, platform: "win32" }), socketPath };
    expect(thrownBy(() => createSessionFiles(forced))).toMatchObject({ code: "path_too_long", facts: { path: socketPath } });
    await expect(connectSocket(socketPath)).rejects.toMatchObject({ code: "path_too_long" });
    expect(fs.readdirSync(long)).toEqual([]);
    expect(fs.readdirSync(directory)).toEqual([long.slice(directory.length + 1)]);
    expect(fs.existsSync(socketPath.slice(0, 108))).toBe(false);
  });
});

describe("readLeftoverName", () => {
  it("H12 knows the four shapes of our names and their uuid", () => {
    expect(readLeftoverName(`claudecode_ipc_${uuid}.sock`)).toEqual({ kind: "socket", uuid });
    expect(readLeftoverName(`claudecode_ipc_schema_${uuid}.json`)).toEqual({ kind: "schema", uuid });
    expect(readLeftoverName(`claudecode_ipc_${uuid}.d`)).toEqual({ kind: "directory", uuid });
    expect(readLeftoverName(`claudecode_ipc_${uuid}.sock.lock`)).toEqual({ kind: "lock", uuid });
  });

  it.for([
    `claudecode_ipc_${uuid}.sock.bak`,
    `claudecode_ipc_${uuid}.sock\n`,
    `xclaudecode_ipc_${uuid}.sock`,
    `claudecode_ipc_${uuid.slice(1)}.sock`,
    `claudecode_ipc_${uuid}0.sock`,
    `claudecode_ipc_${uuid.toUpperCase()}.sock`,
    `claudecode_ipc_schema_${uuid}.sock`,
    `claudecode_ipc_schema_${uuid}`,
    `claudecode_ipc_${uuid}.json`,
    `claudecode_ipc_${uuid}`,
    `claudecode_ipc_.sock`,
    "claudecode_ipc_notes.sock",
    "",
  ])("H11, H12 takes %j for somebody else's", (fileName) => {
    expect(readLeftoverName(fileName)).toBeUndefined();
  });
});
