// Notices that the process that started us is gone. The end of stdin is not enough: another
// process may hold the pipe open. A dead parent's child is given to another one, so a changed
// parent id is proof.

import { limits } from "../limits.ts";

/** Calls `onGone` once, when the parent has died. Returns a function that stops watching. */
export function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, limits.parentPollMs);
  timer.unref();
  return () => clearInterval(timer);
}
