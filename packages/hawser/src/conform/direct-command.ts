// npx and its like keep signals from what they run, and scenarios which send one would fail. So what npx would run out of a
// node_modules folder is run directly, in the same surroundings.

import { existsSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";

const runners = ["npx", "npm", "pnpm", "yarn", "bunx"];

/** What to run, and what there is to say about it. */
export function toDirectCommand([command, ...args]: readonly [string, ...string[]], cwd: string, env: NodeJS.ProcessEnv) {
  const runner = basename(command);
  if (!runners.includes(runner)) return { command, args, env };
  const [program = "", ...rest] = args;
  const folder = runner === "npx" && /^[\w.-]+$/.test(program) && !program.startsWith("-") ? findProgram(program, cwd) : undefined;
  if (folder === undefined)
    return { command, args, env, note: `${runner} does not pass signals on to what it runs; run the program directly` };
  const direct = join(folder, program);
  return {
    command: direct,
    args: rest,
    env: { ...env, PATH: [folder, env["PATH"]].filter(Boolean).join(delimiter) },
    note: `runs ${direct} itself, since npx does not pass signals on`,
  };
}

/** The nearest node_modules/.bin that has it, as npx looks for it. */
function findProgram(program: string, cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const bin = join(folder, "node_modules", ".bin");
    if (existsSync(join(bin, program))) return bin;
    if (folder === dirname(folder)) return undefined;
  }
}
