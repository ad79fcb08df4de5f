// Ends what we have started when we can't any more, because we were killed. A small shell, one for all of them, waits on a pipe whose
// other end only we hold. Our word ends the shell; the pipe's end without that word is our death, and then the shell kills what it
// guards: process groups, and on Linux all that carries our mark, also outside of its group. Where there is no shell, what we have
// started ends as far as it listens to the end of its input.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { wireLimits } from "../limits.ts";
import { onProcessEnd } from "./process-end.ts";

/** In the environment of everything that is guarded; see process-tree.ts. */
export const guardMark: string = randomUUID();

/** What the guarded get to end by themselves once we are gone. */
const graceSeconds = 1;

// Not every shell knows a `--` in front of a group. One program looks through all processes, not one for each of them, of which a machine may have hundreds. What it finds is looked at
// again right before it is killed, since the number may be another's by then. Paths are short for the sake of the length of a command.
const killByMark = `cd /proc && for round in 1 2 3 4 5; do
  for file in $(grep -ls -- "$1" [0-9]*/environ); do
    if grep -qs -- "$1" "$file"; then kill -9 "\${file%/environ}" 2>/dev/null; fi
  done
done`;

const script = `groups=
while IFS= read -r word; do
  case $word in
    over) exit 0 ;;
    +*) groups="$groups \${word#+}" ;;
    -*) rest=
      for group in $groups; do [ "$group" = "\${word#-}" ] || rest="$rest $group"; done
      groups=$rest ;;
  esac
done
sleep ${graceSeconds}
for group in $groups; do kill -9 "-$group" 2>/dev/null; done
${process.platform === "linux" ? killByMark : ""}
exit 0`;

export interface GuardHold {
  /** The group that is guarded from now on. */
  add(group: number): void;
  /** It is over, and nothing of it is left. */
  release(): void;
}

let shell: ChildProcess | undefined;
const groups = new Set<number>();
let holds = 0;
let forgetEnd: (() => void) | undefined;
let idle: NodeJS.Timeout | undefined;

/** To be called before the process is started that is to be guarded, so that we can't be killed in between. */
export function holdGuard(): GuardHold {
  holds++;
  clearTimeout(idle);
  shell ??= startShell();
  // Behind the cleanups of what it guards, which may be cut short by a kill.
  forgetEnd?.();
  forgetEnd = onProcessEnd(end);
  let guarded: number | undefined;
  let isReleased = false;
  return {
    add(group) {
      guarded = group;
      groups.add(group);
      tell(`+${group}`);
    },
    release() {
      if (isReleased) return;
      isReleased = true;
      if (guarded !== undefined && groups.delete(guarded)) tell(`-${guarded}`);
      if (--holds === 0) idle = setTimeout(end, wireLimits.guardIdleMs).unref();
    },
  };
}

function tell(word: string): void {
  shell?.stdin?.write(`${word}\n`);
}

/** Nothing is left to be guarded. */
function end(): void {
  forgetEnd?.();
  forgetEnd = undefined;
  // At the end of the process this is written at once: nothing else waits in the pipe.
  shell?.stdin?.end("over\n");
  shell = undefined;
}

function startShell(): ChildProcess {
  // A group of its own: a signal for ours must not reach it.
  const started = spawn("/bin/sh", ["-c", script, "hawser-guard", guardMark], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  // One that could not be started or that somebody has ended is replaced with the next process that is to be guarded.
  for (const end of ["error", "exit"])
    started.on(end, () => {
      if (shell === started) shell = undefined;
    });
  started.unref();
  // There is none where no descriptor was left.
  const input = started.stdin as (Writable & { unref?(): void }) | undefined;
  input?.on("error", () => {}).write([...groups].map((group) => `+${group}\n`).join(""));
  input?.unref?.();
  return started;
}
