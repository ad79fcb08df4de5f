// What requests run in: an environment with nothing of whoever runs the tests, and a look at the processes that were
// started in it. For tests, and for programs that are none.

import fs from "node:fs";
import { join } from "node:path";

export const cliPath: string = join(
  import.meta.dirname,
  `../../../node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/claude`,
);
export const hasCli = fs.existsSync(cliPath);
if (!hasCli) console.log("requests to Claude Code are not tested: its command line is not installed");

export function environment(home: string, url: string): Record<string, string | undefined> {
  return {
    HOME: home,
    HAWSER_TEST_MARK: home,
    CLAUDE_CONFIG_DIR: join(home, "claude"),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_AUTH_TOKEN: undefined,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
}

/** Processes that were started with this home, and whatever they started. */
export function processesOf(home: string): number[] {
  return fs.readdirSync("/proc").flatMap((entry) => {
    try {
      return fs.readFileSync(`/proc/${entry}/environ`, "utf8").includes(`HAWSER_TEST_MARK=${home}\0`) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

/** The command line itself among them, or another one than this. */
export const cliOf = (home: string, other?: number): number | undefined =>
  processesOf(home).find((pid) => {
    try {
      return pid !== other && fs.readlinkSync(`/proc/${pid}/exe`) === fs.realpathSync(cliPath);
    } catch {
      return false;
    }
  });

export async function until(isTrue: () => boolean, what: string, ms = 30_000): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 20) {
    if (waited > ms) throw new Error(`waited ${ms} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
