// Paths that try to leave the root, some thousands of them, through every file tool and through the opening
// that attachments use: nothing outside is opened, shown or changed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openInside } from "../../src/tools/files/open-inside.ts";
import { watchOpens, type OpenedPlaces } from "./opened-places.ts";
import { canary, createToolStage, type ToolStage } from "./tool-stage.ts";

const dots = ["..", "%2e%2e", "%252e%252e", "..%00", "．．", "‥", "․․", "..;", "....", "..\u200b", "%c0%ae%c0%ae", "\\.\\.", ".\u0301."];
const separators = ["/", "//", "\\", "%2f", "%5c", "%252f", "%c0%af", "∕", "／", "/./", "\\/", "/\u0000/", "\u2215"];
const starts = ["", "/", "./", "src/", "src/../", "file://", "~/", "./././", "//", "\\\\?\\", "C:\\", "inside.txt/"];
const ends = ["canary.txt", "root-evil/canary.txt", "root-evil", "etc/passwd", "new-file.txt", "canary.txt\u0000.png", "canary.txt%00", ""];
const depths = [1, 2, 3, 8];

// One in so many of what these make; a long run takes more of them.
const isLong = Boolean(process.env["HAWSER_LONG"]);
const step = isLong ? 2 : 59;
const least = isLong ? 32_000 : 1_000;
const timeout = 600_000;

function payloads(stage: ToolStage): string[] {
  const made = starts.flatMap((start) =>
    dots.flatMap((dot) =>
      separators.flatMap((separator) => depths.flatMap((depth) => ends.map((end) => start + (dot + separator).repeat(depth) + end))),
    ),
  );
  const absolute = [stage.outside, `${stage.outside}/canary.txt`, `${stage.root}-evil/canary.txt`, `${stage.root}/../canary.txt`];
  const special = [
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/x",
    "/proc/self/environ",
    "/dev/fd/0",
    "/dev/stdin",
    "/etc/passwd",
    "/",
    "\ud800",
    "",
  ];
  const doubled = absolute.map((path) => `/${path}`);
  return [...absolute, ...special, ...doubled, ...made.filter((_, index) => index % step === 0)];
}

/** Each with its place in the list, a few at a time: one alone mostly waits for the system. */
async function forEachOf(paths: readonly string[], action: (path: string, index: number) => Promise<void>): Promise<void> {
  const rest = paths.entries();
  const work = async (): Promise<void> => {
    for (const [index, path] of rest) await action(path, index);
  };
  await Promise.all(Array.from({ length: 4 }, work));
}

describe("FSX-01 traversal", () => {
  let stage: ToolStage;
  let opens: OpenedPlaces;
  beforeAll(async () => {
    stage = await createToolStage();
    opens = watchOpens(stage.root);
  });
  afterAll(() => {
    opens.release();
    stage.remove();
  });

  it("FSX-01: payloads through every tool open, show and change nothing outside", { timeout }, async () => {
    const before = stage.outsideNow();
    const paths = payloads(stage);
    const shown: string[] = [];
    await forEachOf(paths, async (path, index) => {
      // Each payload is read; the other tools and attachments take turns, so that each sees two hundred, and thousands in a long run.
      const others = [
        () => stage.run("list_files", { path }),
        () => stage.run("search_files", { path, pattern: "canary-7d1f" }),
        () => stage.run("write_file", { path, content: "overwritten" }),
        () => stage.run("edit_file", { path, oldText: "canary", newText: "edited" }),
        () => openInside(stage.roots, path).then(({ handle }) => handle.close()),
      ];
      const other = others[index % others.length] as () => Promise<unknown>;
      for (const result of await Promise.allSettled([stage.run("read_file", { path }), other()])) {
        if (result.status === "fulfilled" && JSON.stringify(result.value)?.includes(canary)) shown.push(path);
      }
    });
    expect(paths.length).toBeGreaterThan(least);
    expect(shown).toEqual([]);
    expect(opens.foreign).toEqual([]);
    expect(stage.outsideNow()).toEqual(before);
    // The count would see something: hundreds of places inside were opened.
    expect(opens.count()).toBeGreaterThan(500);
  });

  it("FSX-01: the same payloads are refused where no descriptor has a path", { timeout }, async () => {
    const other = await createToolStage({ hasDescriptorPaths: false });
    try {
      const before = other.outsideNow();
      const some = payloads(other).filter((_, index) => index % 5 === 0);
      await forEachOf(some, async (path) => {
        const results = await Promise.allSettled([
          other.run("read_file", { path }),
          other.run("write_file", { path, content: "overwritten" }),
        ]);
        expect(JSON.stringify(results)).not.toContain(canary);
      });
      expect(other.outsideNow()).toEqual(before);
    } finally {
      other.remove();
    }
  });

  it("FSX-01: a folder whose name begins as the root's does is outside", async () => {
    const text = await stage.fails("read_file", { path: `${stage.outside}/canary.txt` });
    expect(text).toContain("outside of the allowed folders");
    expect(text).toContain(stage.root);
  });
});
