// What the desktop app needs of a machine to be built, and its tests to be run. Everything is looked at before
// anything is done, and what is missing is said in one sentence with the one command that installs it.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "./tool.ts";

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Where programs are looked for is in it. */
  readonly env: NodeJS.ProcessEnv;
  /** Says which Linux this is. */
  readonly osRelease: string;
}

type Family = "debian" | "fedora" | "arch";

interface Need {
  readonly name: string;
  readonly packages: Readonly<Record<Family, readonly string[]>>;
  /** What rustup calls it, where that has brought Rust; a Rust that is still to come brings it along. */
  readonly component?: string;
  isThere(machine: Machine): boolean;
}

const libraries: readonly Need[] = [
  {
    name: "a C compiler",
    packages: { debian: ["build-essential"], fedora: ["gcc"], arch: ["base-devel"] },
    isThere: hasProgram("cc", "--version"),
  },
  {
    name: "pkg-config",
    packages: { debian: ["pkg-config"], fedora: ["pkgconf-pkg-config"], arch: ["pkgconf"] },
    isThere: hasProgram("pkg-config", "--version"),
  },
  {
    name: "WebKitGTK 4.1",
    packages: { debian: ["libwebkit2gtk-4.1-dev"], fedora: ["webkit2gtk4.1-devel"], arch: ["webkit2gtk-4.1"] },
    isThere: hasLibrary("webkit2gtk-4.1"),
  },
  {
    name: "appindicator",
    packages: {
      debian: ["libayatana-appindicator3-dev"],
      fedora: ["libayatana-appindicator-gtk3-devel"],
      arch: ["libayatana-appindicator"],
    },
    isThere: hasLibrary("ayatana-appindicator3-0.1", "appindicator3-0.1"),
  },
  {
    name: "librsvg",
    packages: { debian: ["librsvg2-dev"], fedora: ["librsvg2-devel"], arch: ["librsvg"] },
    isThere: hasLibrary("librsvg-2.0"),
  },
];

const testPrograms: readonly Need[] = [
  {
    name: "rustfmt",
    packages: { debian: ["rustfmt"], fedora: ["rustfmt"], arch: ["rust"] },
    component: "rustfmt",
    isThere: hasCargoCommand("fmt"),
  },
  {
    name: "clippy",
    packages: { debian: ["rust-clippy"], fedora: ["clippy"], arch: ["rust"] },
    component: "clippy",
    isThere: hasCargoCommand("clippy"),
  },
  {
    name: "Xvfb",
    packages: { debian: ["xvfb"], fedora: ["xorg-x11-server-Xvfb"], arch: ["xorg-server-xvfb"] },
    isThere: hasProgram("Xvfb", "-help"),
  },
  {
    name: "dbus-daemon",
    packages: { debian: ["dbus"], fedora: ["dbus-daemon"], arch: ["dbus"] },
    isThere: hasProgram("dbus-daemon", "--version"),
  },
  {
    name: "WebKitWebDriver",
    packages: { debian: ["webkit2gtk-driver"], fedora: ["webkit2gtk-driver"], arch: ["webkit2gtk-4.1"] },
    isThere: hasProgram("WebKitWebDriver", "--version"),
  },
];

export const thisMachine = (): Machine => ({ platform: process.platform, env: process.env, osRelease: readOsRelease() });

/** Undefined when the app can be built here; else the sentence. */
export function whatBuildLacks(machine: Machine): string | undefined {
  if (machine.platform !== "linux" && machine.platform !== "darwin")
    return `the desktop app runs on Linux and macOS, and this is ${machine.platform}.`;
  return toSentence(machine, machine.platform === "linux" ? libraries : []);
}

/** Undefined when the tests of the app can be run here; else the sentence. */
export function whatTestsLack(machine: Machine): string | undefined {
  if (machine.platform !== "linux") return `they drive the app through WebKitGTK's driver, on Linux only, and this is ${machine.platform}.`;
  return toSentence(machine, [...libraries, ...testPrograms]);
}

// Verbose or not: then each line says who wrote it, and what only developers want to know stands in between.
const failedDownload = /Downloading (?:\[\S+\] )?https:\/\/\S+\s+(?:(?:Debug|Trace) .*\s+)*failed to bundle project/;
/** A tool of Tauri's says it so, of the first part of every AppImage. */
const failedPart = /Failed to download runtime file/;

/** Whether packing has ended at a download; what was printed says so. */
export function lacksDownload(output: string): boolean {
  const text = stripVTControlCharacters(output);
  return failedDownload.test(text) || failedPart.test(text);
}

/** What cargo warned of; warnings of others' code it never shows. */
export const warningsIn = (output: string): string[] =>
  stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.startsWith("warning"));

function toSentence(machine: Machine, needs: readonly Need[]): string | undefined {
  const rust = rustProblem(machine);
  const missing = needs.filter((need) => !(rust && need.component) && !need.isThere(machine));
  const names = [...(rust === undefined ? [] : [rust.name]), ...missing.map(({ name }) => name)];
  const compiler =
    machine.platform === "darwin" && run(machine, "xcode-select", ["-p"])?.status !== 0 ? "xcode-select --install" : undefined;
  if (compiler !== undefined) names.push("Xcode's command line tools");
  if (names.length === 0) return undefined;
  const commands = [...installCommands(machine, missing), compiler, rust?.command].filter((command) => command !== undefined);
  return `the desktop app needs ${joinNames(names)}; run: ${commands.join(" && ")}`;
}

const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const installers: Readonly<Record<Family, string>> = {
  debian: "sudo apt-get install -y",
  fedora: "sudo dnf install -y",
  arch: "sudo pacman -S --needed --noconfirm",
};

function installCommands(machine: Machine, missing: readonly Need[]): (string | undefined)[] {
  if (!missing.some(({ component }) => component) || !hasRustup(machine)) return [installCommand(machine, missing)];
  const components = missing.flatMap(({ component }) => component ?? []);
  const others = missing.filter(({ component }) => component === undefined);
  return [installCommand(machine, others), `rustup component add ${components.join(" ")}`];
}

function installCommand({ osRelease }: Machine, missing: readonly Need[]): string | undefined {
  if (missing.length === 0) return undefined;
  const family = familyOf(osRelease);
  const packages = [...new Set(missing.flatMap((need) => need.packages[family ?? "debian"]))];
  if (family !== undefined) return `${installers[family]} ${packages.join(" ")}`;
  return `the installer of your system, for what Debian calls ${packages.join(" ")}`;
}

/** By `ID` and by what it says it is like: Mint is like Ubuntu, and that is like Debian. */
function familyOf(osRelease: string): Family | undefined {
  const words = [...osRelease.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap(([, value = ""]) => value.split(" "));
  if (words.some((word) => word === "debian" || word === "ubuntu")) return "debian";
  if (words.some((word) => word === "fedora" || word === "rhel")) return "fedora";
  return words.includes("arch") ? "arch" : undefined;
}

function rustProblem(machine: Machine): { readonly name: string; readonly command: string } | undefined {
  const oldest = oldestRust();
  const found = ["cargo", "rustc"].map((program) => /\b(\d+\.\d+)\.\d+/.exec(output(machine, program, ["--version"]) ?? "")?.[1]);
  if (found.every((version) => version !== undefined && isAtLeast(version, oldest))) return undefined;
  const old = found.find((version) => version !== undefined && !isAtLeast(version, oldest));
  const name = `Rust ${oldest} or newer${old === undefined ? "" : ` (this is ${old})`}`;
  if (hasRustup(machine)) return { name, command: "rustup default stable && rustup update stable" };
  return { name, command: "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y && . ~/.cargo/env" };
}

const hasRustup = (machine: Machine): boolean => output(machine, "rustup", ["--version"]) !== undefined;

/** As the app itself says it. */
function oldestRust(): string {
  const manifest = readFileSync(join(root, "apps", "desktop", "src-tauri", "Cargo.toml"), "utf8");
  return /^rust-version = "(\d+\.\d+)/m.exec(manifest)?.[1] ?? "1.85";
}

function isAtLeast(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function hasProgram(name: string, ...args: readonly string[]): Need["isThere"] {
  return (machine) => output(machine, name, args) !== undefined;
}

/** Cargo itself is there without its commands, and says so by its exit code. */
function hasCargoCommand(name: string): Need["isThere"] {
  return (machine) => run(machine, "cargo", [name, "--version"])?.status === 0;
}

/** One of them is enough. */
function hasLibrary(...names: readonly string[]): Need["isThere"] {
  return (machine) => names.some((name) => run(machine, "pkg-config", ["--exists", name])?.status === 0);
}

/** What a program prints; undefined when it can't be started. */
function output(machine: Machine, program: string, args: readonly string[]): string | undefined {
  return run(machine, program, args)?.stdout;
}

function run(
  { env }: Machine,
  program: string,
  args: readonly string[],
): { readonly status: number | null; readonly stdout: string } | undefined {
  const { error, status, stdout } = spawnSync(program, args, {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 30_000,
  });
  return error ? undefined : { status, stdout };
}

function readOsRelease(): string {
  try {
    return readFileSync("/etc/os-release", "utf8");
  } catch {
    return "";
  }
}
