// The command line: reads the arguments, runs one command, and turns whatever goes wrong into one
// sentence on stderr and an exit code. The launcher in `bin/` calls it.

import { createProgram } from "./program.ts";
import { reportFailure } from "./command-line/failure.ts";

// For the launcher, which keeps the compiled code.
export { withOwnFlags } from "@hawser/wire/internal/node";

/** Runs the command that the arguments name; sets the exit code, never throws. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const program = await createProgram({ word: args[0] });
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = reportFailure(error);
  }
}
