// Ends what a process has started when the process itself can't any more: it was killed. A small shell waits on a pipe whose
// other end only the owner holds. The owner's word ends it; the pipe's end without that word is the owner's death, and then the
// shell kills the tree: by its mark on Linux, where no other process can be meant, else by its process group. Where there is no
// shell, the tree ends as far as it listens to the end of its input.

import { spawn } from "node:child_process";

/** What the guarded process gets to end by itself once its owner is gone. */
const graceSeconds = 1;

const killByMark = `for round in 1 2 3 4 5; do
  for file in /proc/[0-9]*/environ; do
    if grep -q -- "$1" "$file" 2>/dev/null; then pid=\${file#/proc/}; kill -9 "\${pid%/environ}" 2>/dev/null; fi
  done
done`;
const killByGroup = 'kill -9 -- "-$1" 2>/dev/null';

/** `target`: the mark of a tree, or the number of a process group. */
export function startOwnerGuard(target: { readonly mark: string } | { readonly group: number }): { release(): void } {
  const [kill, word] = "mark" in target ? [killByMark, target.mark] : [killByGroup, String(target.group)];
  const script = `IFS= read -r word; [ "$word" = over ] && exit 0; sleep ${graceSeconds}; ${kill}; exit 0`;
  // A group of its own: a signal for the owner's must not reach it.
  const guard = spawn("/bin/sh", ["-c", script, "hawser-guard", word], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
  });
  // There may be no shell.
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  (guard.stdin as unknown as { unref?(): void }).unref?.();
  return {
    release(): void {
      guard.stdin.end("over\n");
    },
  };
}
