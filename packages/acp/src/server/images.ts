// The images of prompts, as private files: the agent protocol attaches files. They stay for later turns, which show them to the model
// again, and go with the process; those of a prompt that was refused go at once, and the oldest go when all of them take too much.

import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { acpLimits } from "../limits.ts";

export type Images = ReturnType<typeof createImages>;

export function createImages(folder: string) {
  /** Sizes by path, oldest first. */
  const kept = new Map<string, number>();
  let keptBytes = 0;

  async function remove(path: string): Promise<void> {
    keptBytes -= kept.get(path) ?? 0;
    kept.delete(path);
    await rm(path, { force: true });
  }

  return {
    async save(base64: string): Promise<string> {
      const bytes = Buffer.from(base64, "base64");
      const path = join(folder, `${randomUUID()}.image`);
      kept.set(path, bytes.length);
      keptBytes += bytes.length;
      for (const oldest of kept.keys()) {
        if (keptBytes <= acpLimits.acpImageBytes || oldest === path) break;
        await remove(oldest);
      }
      await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
      return path;
    },
    remove,
  };
}
