// The thread that looks at files, at the end of its time without work.

import { afterEach, expect, it, vi } from "vitest";
import { undoLimits } from "../../src/changes/limits.ts";
import { openUndoStage } from "./undo-stage.ts";

afterEach(() => vi.useRealTimers());

it("what is asked while the thread is being ended is answered, by another one", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { log, root } = await openUndoStage({}, { isPassing: true });
  const asked = log.storeOf(root).use(async (ask) => {
    await ask("list", "c", undefined, false);
    vi.advanceTimersByTime(undoLimits.undoThreadIdleMs);
    return ask("list", "c", undefined, false);
  });
  expect(await asked).toMatchObject({ changes: [] });
});
