// The Enter key in the terminal, or a line from the program that started us. A program in the background must not
// read from its terminal: the system would stop it. So it listens only while it is in front.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { wireLimits } from "@hawser/wire";

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean; unref?(): unknown };

/** Calls back once for all lines that came together. Returns how to stop listening. */
export function onEnter(input: Input, onPressed: () => void): () => void {
  const take = (chunk: Buffer): void => (chunk.includes("\n") ? onPressed() : undefined);
  input.on("data", take).on("error", () => {});
  const unfollow = input.isTTY && process.platform !== "win32" ? followForeground(input) : () => {};
  return () => {
    unfollow();
    input.off("data", take).pause();
    // A paused terminal would still be waited for; a file has nothing that could be.
    input.unref?.();
  };
}

function followForeground(input: Input): () => void {
  const follow = (): unknown => (isInFront() ? input.resume() : input.pause());
  // Ctrl-Z: it may go on in the background, and would read before it could find that out.
  const stop = (): void => {
    input.pause();
    setImmediate(() => process.kill(process.pid, "SIGSTOP"));
  };
  follow();
  // `bg` and `fg` continue a job that was stopped; `fg` of one that runs is not told to it.
  process.on("SIGTSTP", stop).on("SIGCONT", follow);
  const timer = process.platform === "linux" ? setInterval(follow, wireLimits.parentPollMs).unref() : undefined;
  return () => {
    process.off("SIGTSTP", stop).off("SIGCONT", follow);
    clearInterval(timer);
  };
}

/** Whether the terminal's input belongs to this job. */
function isInFront(): boolean {
  try {
    if (process.platform !== "linux")
      return execFileSync("ps", ["-o", "stat=", "-p", String(process.pid)], { encoding: "utf8" }).includes("+");
    // After the name, which may hold anything: state, parent, group, session, terminal, the terminal's group.
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , front] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === front;
  } catch {
    return false;
  }
}
