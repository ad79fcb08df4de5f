// What is said to somebody whose machine can't build the desktop app: one sentence, and the command that
// helps. The machines are folders of small programs that stand for the real ones.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  lacksDownload,
  thisMachine,
  warningsIn,
  whatBuildLacks,
  whatTestsLack,
  type Machine,
} from "../../scripts/tasks/desktop-machine.ts";

const debian = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\n';
const mint = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n';
const fedora = "ID=fedora\n";
const arch = "ID=manjaro\nID_LIKE=arch\n";

const complete = {
  cc: "",
  cargo: "echo cargo 1.95.0",
  rustc: "echo rustc 1.95.0",
  "pkg-config": "exit 0",
  Xvfb: "exit 1",
  "dbus-daemon": "",
  WebKitWebDriver: "",
};
const installRust = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y && . ~/.cargo/env";

function machineWith(
  programs: Readonly<Record<string, string>>,
  { osRelease = debian, platform = "linux" }: Partial<Machine> = {},
): Machine {
  const folder = mkdtempSync(join(tmpdir(), "hawser-machine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "bin"));
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { platform, osRelease, env: { PATH: join(folder, "bin") } };
}

const without = (...names: readonly string[]) => Object.fromEntries(Object.entries(complete).filter(([name]) => !names.includes(name)));
/** A `pkg-config` that knows all but these. */
const lacking = (...names: readonly string[]) => ({ ...complete, "pkg-config": `case "$2" in ${names.join("|")}) exit 1;; esac` });

it("says nothing of a machine that has everything", () => {
  const machine = machineWith(complete);
  expect([whatBuildLacks(machine), whatTestsLack(machine)]).toEqual([undefined, undefined]);
});

it("names Rust and where it comes from", () => {
  const sentence = `the desktop app needs Rust 1.90 or newer; run: ${installRust}`;
  expect(whatBuildLacks(machineWith(without("cargo")))).toBe(sentence);
  expect(whatBuildLacks(machineWith(without("rustc", "cargo")))).toBe(sentence);
});

it("says which Rust is too old, and updates it by rustup where there is one", () => {
  const old = { ...complete, rustc: "echo 'rustc 1.63.0 (4b91a6ea7 2022-08-08)'" };
  expect(whatBuildLacks(machineWith(old))).toBe(`the desktop app needs Rust 1.90 or newer (this is 1.63); run: ${installRust}`);
  expect(whatBuildLacks(machineWith({ ...old, rustup: "echo rustup 1.28.0" }))).toBe(
    "the desktop app needs Rust 1.90 or newer (this is 1.63); run: rustup default stable && rustup update stable",
  );
});

it.each([
  [debian, "sudo apt-get install -y libwebkit2gtk-4.1-dev librsvg2-dev"],
  [mint, "sudo apt-get install -y libwebkit2gtk-4.1-dev librsvg2-dev"],
  [fedora, "sudo dnf install -y webkit2gtk4.1-devel librsvg2-devel"],
  [arch, "sudo pacman -S --needed --noconfirm webkit2gtk-4.1 librsvg"],
  ["ID=plan9", "the installer of your system, for what Debian calls libwebkit2gtk-4.1-dev librsvg2-dev"],
])("names missing libraries and the command of the system (%j)", (osRelease, command) => {
  const machine = machineWith(lacking("webkit2gtk-4.1", "librsvg-2.0"), { osRelease });
  expect(whatBuildLacks(machine)).toBe(`the desktop app needs WebKitGTK 4.1 and librsvg; run: ${command}`);
});

it("takes either of the two libraries for the tray", () => {
  expect(whatBuildLacks(machineWith(lacking("ayatana-appindicator3-0.1")))).toBeUndefined();
  expect(whatBuildLacks(machineWith(lacking("appindicator3-0.1")))).toBeUndefined();
  expect(whatBuildLacks(machineWith(lacking("ayatana-appindicator3-0.1", "appindicator3-0.1")))).toBe(
    "the desktop app needs appindicator; run: sudo apt-get install -y libayatana-appindicator3-dev",
  );
});

it("says all that is missing on a bare machine in one sentence and one command", () => {
  const sentence = whatBuildLacks(machineWith({}));
  expect(sentence).toBe(
    "the desktop app needs Rust 1.90 or newer, a C compiler, pkg-config, WebKitGTK 4.1, appindicator and librsvg; run: " +
      "sudo apt-get install -y build-essential pkg-config libwebkit2gtk-4.1-dev libayatana-appindicator3-dev librsvg2-dev && " +
      installRust,
  );
});

it("asks for what only the tests need when there are tests to run", () => {
  const machine = machineWith(without("Xvfb", "WebKitWebDriver"));
  expect(whatBuildLacks(machine)).toBeUndefined();
  expect(whatTestsLack(machine)).toBe(
    "the desktop app needs Xvfb and WebKitWebDriver; run: sudo apt-get install -y xvfb webkit2gtk-driver",
  );
});

/** A `cargo` without these of its commands. */
const cargoWithout = (...names: readonly string[]) => ({
  ...complete,
  cargo: `case "$1" in ${names.join("|")}) exit 101;; esac; echo cargo 1.95.0`,
});

it.each([
  [debian, "sudo apt-get install -y rustfmt rust-clippy"],
  [fedora, "sudo dnf install -y rustfmt clippy"],
  [arch, "sudo pacman -S --needed --noconfirm rust"],
])("asks for the tools that the tests have Rust looked over with, as the system has them (%j)", (osRelease, command) => {
  const machine = machineWith(cargoWithout("fmt", "clippy"), { osRelease });
  expect(whatBuildLacks(machine)).toBeUndefined();
  expect(whatTestsLack(machine)).toBe(`the desktop app needs rustfmt and clippy; run: ${command}`);
});

it("has rustup bring those tools, where it has brought Rust, or Rust itself bring them", () => {
  const { Xvfb: _, ...programs } = { ...cargoWithout("clippy"), rustup: "echo rustup 1.28.0" };
  expect(whatTestsLack(machineWith(programs))).toBe(
    "the desktop app needs clippy and Xvfb; run: sudo apt-get install -y xvfb && rustup component add clippy",
  );
  expect(whatTestsLack(machineWith({ ...programs, rustc: "exit 1" }))).toBe(
    "the desktop app needs Rust 1.90 or newer and Xvfb; run: sudo apt-get install -y xvfb && rustup default stable && rustup update stable",
  );
});

it("asks for the platform's own on macOS, which says by its exit code whether it is there, and tests on Linux only", () => {
  const rust = without("pkg-config", "cc");
  const mac = machineWith({ ...rust, "xcode-select": "exit 0" }, { platform: "darwin" });
  expect(whatBuildLacks(mac)).toBeUndefined();
  const sentence = "the desktop app needs Xcode's command line tools; run: xcode-select --install";
  expect(whatBuildLacks(machineWith(rust, { platform: "darwin" }))).toBe(sentence);
  expect(whatBuildLacks(machineWith({ ...rust, "xcode-select": "exit 2" }, { platform: "darwin" }))).toBe(sentence);
  expect(whatTestsLack(mac)).toMatch(/on Linux only, and this is darwin/);
});

it("says where the app does not run at all", () => {
  expect(whatBuildLacks(machineWith(complete, { platform: "win32" }))).toBe("the desktop app runs on Linux and macOS, and this is win32.");
});

it("reads this very machine without failing", () => {
  expect(whatBuildLacks(thisMachine()) ?? "nothing").toMatch(/^(?:nothing|the desktop app needs .+; run: .+)$/);
});

it("tells a tool that can't be loaded from one that failed", () => {
  const download = "\u001b[32m Downloading\u001b[0m https://github.com/tauri-apps/binary-releases/AppRun-x86_64\n";
  expect(lacksDownload(`${download}failed to bundle project: \`io: failed to lookup address information\`\n`)).toBe(true);
  const verbose =
    " Downloading [tauri_bundler::http] https://github.com/AppRun-x86_64\n       Debug [ureq::run] GET https://github.com/******\n";
  expect(lacksDownload(`${verbose}failed to bundle project: \`io: failed to lookup address information\`\n`)).toBe(true);
  expect(lacksDownload(`${verbose}   Error [bundler] Download of AppImage plugin failed.\nfailed to bundle project: \`x\`\n`)).toBe(false);
  const ofTool =
    "Failed to download runtime file, please download the runtime manually\nfailed to bundle project: `failed to run linuxdeploy`\n";
  expect(lacksDownload(`${download}   Bundling Hawser.AppImage\n${ofTool}`)).toBe(true);
  expect(lacksDownload(`${download}   Bundling Hawser.AppImage\nfailed to bundle project: \`failed to run linuxdeploy\`\n`)).toBe(false);
});

it("sees a warning of the compiler, coloured or not", () => {
  const coloured = "\u001b[1m\u001b[33mwarning\u001b[0m: unused variable: `x`";
  expect(warningsIn(`   Compiling x\n${coloured}\nwarning: and another\n  no warning\n`)).toEqual([
    "warning: unused variable: `x`",
    "warning: and another",
  ]);
});
