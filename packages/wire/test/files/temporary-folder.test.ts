// Temporary files lie where no other user can exchange them. The attacks are real where the tests run as root: a process
// of another user tries them.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, vi, type TestContext } from "vitest";
import { createSessionNames } from "../../src/socket/names.ts";
import { temporaryFolder, isTrustedOwner } from "../../src/files/temporary-folder.ts";
import { it } from "../process/real-programs.ts";
import { startSession } from "../socket/sockets.ts";

const stranger = 54_321;
let notes = "";

beforeEach(() => {
  notes = "";
  vi.stubEnv("XDG_RUNTIME_DIR", undefined);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    notes += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function needsRoot(skip: TestContext["skip"]): void {
  if (process.getuid?.() !== 0) skip("only root can give a file to another user");
}

function makeFolder(path: string, mode: number): string {
  fs.mkdirSync(path);
  fs.chmodSync(path, mode);
  return path;
}

/** What a process of another user says to a line of code. */
function asStranger(code: string): string {
  const become = `process.setgroups([]); process.setgid(${stranger}); process.setuid(${stranger});`;
  const run = spawnSync(process.execPath, ["-e", `${become} try { ${code}; console.log("done") } catch (e) { console.log(e.code) }`], {
    encoding: "utf8",
  });
  return run.stdout.trim() + run.stderr;
}

describe("a TMPDIR in which another user could exchange files", () => {
  it("is passed over with a note that says what is wrong: one that everybody may write, without the sticky bit", ({ directory }) => {
    const shared = makeFolder(join(directory, "shared"), 0o777);
    vi.stubEnv("TMPDIR", shared);
    expect(createSessionNames().directory).toBe("/tmp");
    expect(notes).toBe(
      `[hawser] temporary files in ${shared} could be exchanged by another user: ${shared} may be written by everybody, without the sticky bit. ` +
        `/tmp is used instead; set TMPDIR to a folder that only you may write\n`,
    );
  });

  it("is told once, however many files are made", ({ directory }) => {
    vi.stubEnv("TMPDIR", makeFolder(join(directory, "shared"), 0o777));
    for (let count = 0; count < 3; count++) temporaryFolder();
    expect(notes.split("\n")).toHaveLength(2);
  });

  it("H20 gives way to XDG_RUNTIME_DIR where there is such a folder, then to /tmp", ({ directory }) => {
    const own = makeFolder(join(directory, "own"), 0o700);
    vi.stubEnv("TMPDIR", makeFolder(join(directory, "shared"), 0o777));
    vi.stubEnv("XDG_RUNTIME_DIR", own);
    expect(temporaryFolder()).toBe(own);
    vi.stubEnv("XDG_RUNTIME_DIR", join(directory, "missing"));
    expect(temporaryFolder()).toBe("/tmp");
  });

  it("may be one below a folder that everybody may write", ({ directory }) => {
    makeFolder(join(directory, "shared"), 0o777);
    const inner = makeFolder(join(directory, "shared", "inner"), 0o700);
    vi.stubEnv("TMPDIR", inner);
    expect(temporaryFolder()).toBe("/tmp");
    expect(notes).toContain(`${join(directory, "shared")} may be written by everybody`);
  });

  it("may be one behind a link, or whose link lies in such a folder", ({ directory }) => {
    const own = makeFolder(join(directory, "own"), 0o700);
    const shared = makeFolder(join(directory, "shared"), 0o777);
    fs.symlinkSync("../own", join(shared, "to-own"));
    fs.symlinkSync("shared", join(directory, "to-shared"));
    fs.symlinkSync(own, join(directory, "fine"));
    const chosen = ["shared/to-own", "to-shared", "fine"].map((path) => {
      vi.stubEnv("TMPDIR", join(directory, path));
      return temporaryFolder();
    });
    expect(chosen).toEqual(["/tmp", "/tmp", join(directory, "fine")]);
  });

  it("may belong to another user, itself, above or by its link", ({ directory, skip }) => {
    needsRoot(skip);
    const foreign = makeFolder(join(directory, "foreign"), 0o755);
    const inner = makeFolder(join(foreign, "inner"), 0o700);
    fs.symlinkSync(makeFolder(join(directory, "own"), 0o700), join(directory, "link"));
    fs.chownSync(foreign, stranger, stranger);
    fs.lchownSync(join(directory, "link"), stranger, stranger);
    const chosen = [foreign, inner, join(directory, "link")].map((path) => {
      vi.stubEnv("TMPDIR", path);
      return temporaryFolder();
    });
    expect(chosen).toEqual(["/tmp", "/tmp", "/tmp"]);
    expect(notes).toContain(`${foreign} belongs to user ${stranger}`);
  });

  it("may be written by a group of others", ({ directory, skip }) => {
    needsRoot(skip);
    const shared = makeFolder(join(directory, "shared"), 0o770);
    vi.stubEnv("TMPDIR", shared);
    expect(temporaryFolder()).toBe(shared);
    fs.chownSync(shared, 0, stranger);
    expect(temporaryFolder()).toBe("/tmp");
  });

  it("a stranger can't exchange the socket of a session that was started with it", async ({ directory, skip }) => {
    needsRoot(skip);
    fs.chmodSync(directory, 0o755);
    vi.stubEnv("TMPDIR", makeFolder(join(directory, "shared"), 0o777));
    const { names, files, listener } = await startSession(createSessionNames());
    expect(asStranger(`fs.renameSync(${JSON.stringify(names.socketPath)}, ${JSON.stringify(`${names.socketPath}.old`)})`)).toMatch(
      /^(?:EPERM|EACCES)$/,
    );
    await listener.close();
    files.remove();
  });
});

describe("a TMPDIR that is safe", () => {
  it("is used: a folder of one's own, or one with the sticky bit", ({ directory }) => {
    for (const [name, mode] of [
      ["own", 0o700],
      ["sticky", 0o1777],
      ["read", 0o755],
    ] as const) {
      vi.stubEnv("TMPDIR", makeFolder(join(directory, name), mode));
      expect(temporaryFolder()).toBe(join(directory, name));
    }
    expect(notes).toBe("");
  });

  it("is used also when it is missing, so that its user is told", ({ directory }) => {
    vi.stubEnv("TMPDIR", join(directory, "missing"));
    expect(temporaryFolder()).toBe(join(directory, "missing"));
  });
});

describe("a folder that a program names itself", () => {
  it("is refused in a sentence, and nothing is made there", ({ directory }) => {
    const shared = makeFolder(join(directory, "shared"), 0o777);
    expect(() => createSessionNames({ directories: [shared] })).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("without the sticky bit; set TMPDIR to") as string }),
    );
    expect(fs.readdirSync(shared)).toEqual([]);
  });
});

describe("an owner", () => {
  it("is trusted when it is this user or root", () => {
    expect([process.getuid?.() ?? 0, 0, stranger].map(isTrustedOwner)).toEqual([true, true, false]);
  });

  it("is trusted when a sandbox shows the files of the system under it", ({ skip }) => {
    const overflow = "/proc/sys/kernel/overflowuid";
    if (!fs.existsSync(overflow)) skip("only Linux has user namespaces");
    const read = fs.readFileSync;
    const maps = ["0 0 4294967295", "1000 1000 1"].map((map) => {
      vi.spyOn(fs, "readFileSync").mockImplementation(((path: string, ...rest: [BufferEncoding]) =>
        path === "/proc/self/uid_map" ? `${map}\n` : read(path, ...rest)) as typeof fs.readFileSync);
      return isTrustedOwner(Number(read(overflow, "utf8")));
    });
    expect(maps).toEqual([false, true]);
  });
});
