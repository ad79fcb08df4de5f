// `run_command`: starts an allowed program with a list of arguments. There is no shell anywhere: what looks
// like one (`;`, `$(…)`, `|`, `*`) reaches the program as the characters that it is. It runs in the folder
// that was opened and held to the decision, on Linux through its descriptor.

import { defineTool, type Tool } from "@hawser/tools";
import { HawserError } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import { createAllowedCommands } from "./command/allowed-commands.ts";
import { commandEnvironment, runProgram, type ProgramResult } from "./command/run-program.ts";
import { withEarlyCheck } from "./early-check.ts";
import { codeOf } from "./files/file-errors.ts";
import { openFolderInside } from "./files/open-inside.ts";
import { permitOf, type Permit } from "./files/permit.ts";
import type { Roots } from "./files/roots.ts";
import { unconfined, type Containment, type Sandbox } from "./sandbox/sandbox.ts";
import { toolNames } from "./tool-table.ts";

export interface RunCommandOptions {
  readonly roots: Roots;
  /** Names of programs on the PATH, or absolute paths. */
  readonly allowedCommands: readonly string[];
  readonly commandTimeoutMs?: number | undefined;
  /** Where the allowed variables are taken from; this process's own unless given. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** What is around the programs; nothing unless given. */
  readonly sandbox?: Sandbox | undefined;
}

export function createRunCommand(options: RunCommandOptions): Tool {
  const { roots, environment = process.env, commandTimeoutMs = agentLimits.commandMs, sandbox } = options;
  const env = commandEnvironment(environment);
  const commands = createAllowedCommands(options.allowedCommands, roots, env["PATH"] ?? env["Path"] ?? "");
  const tool = defineTool({
    name: toolNames.runCommand,
    description:
      `Runs a program in the root folder. Allowed: ${commands.names.join(", ")}. ` +
      "No shell: `args` is the list of arguments, and pipes, redirections, variables and `*` mean nothing. The input is empty. " +
      `It gets ${commandTimeoutMs / 1000} seconds. Of long output, the beginning and the end are returned.`,
    input: {
      type: "object",
      properties: {
        command: { type: "string", description: "The program's name alone, as it is allowed." },
        args: { type: "array", items: { type: "string" }, description: "Its arguments, one by one. Default: none." },
      },
      required: ["command"],
      additionalProperties: false,
    },
    annotations: { title: "Run command", readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    async run(args, context) {
      const { signal } = context;
      const given = args as { command: string; args?: string[] };
      checkText([given.command, ...(given.args ?? [])]);
      const command = await commands.resolve(given.command);
      await using folder = await openFolderInside(roots, roots.paths[0], permitOf(context));
      await sandbox?.whenKnown();
      holdToContainment(sandbox?.containment(), permitOf(context));
      const wanted = { command, args: given.args ?? [] };
      const contained = sandbox?.wrap({ ...wanted, roots, programs: [command, ...(await commands.places())] }) ?? wanted;
      const program = { ...contained, cwd: folder.entry(), env, timeoutMs: commandTimeoutMs, signal };
      const result = await runProgram(program).catch((error: unknown) => Promise.reject(describeFailure(error)));
      if (sandbox?.containment().sandboxed) checkStart(result);
      return toResult(result);
    },
  });
  return withEarlyCheck(tool, ({ command }) => commands.check(String(command)));
}

function checkText(texts: readonly string[]): void {
  for (const [position, text] of texts.entries()) {
    const where = position === 0 ? "command" : `args[${position - 1}]`;
    if (text.includes("\0")) throw new HawserError("invalid_arguments", `${where} contains a NUL character, which no program can be given`);
    if (!text.isWellFormed()) throw new HawserError("invalid_arguments", `${where} is not well-formed text; send well-formed text`);
  }
}

/** The question said how it would run. */
function holdToContainment(now: Containment = unconfined, permit: Permit | undefined): void {
  const { sandboxed, network } = permit?.runs ?? now;
  if (sandboxed === now.sandboxed && network === now.network) return;
  throw new HawserError("tool_failed", "the sandbox is not what was decided about. Nothing was run; try again");
}

/** What bubblewrap says of itself is not the program's output. */
function checkStart({ code, stdout, stderr }: ProgramResult): void {
  if (code !== 1 || stdout.text !== "" || !stderr.text.startsWith("bwrap: ")) return;
  throw new HawserError("tool_failed", `the program could not be started in the sandbox: ${stderr.text.trim()}`);
}

function toResult({ code, signal, stdout, stderr, isTimedOut }: ProgramResult): object {
  return {
    exitCode: code,
    ...(signal !== null && { signal }),
    ...(isTimedOut && { timedOut: true, note: "It took too long and was ended." }),
    stdout: stdout.text,
    stderr: stderr.text,
    ...((stdout.isCut || stderr.isCut) && { truncated: true }),
    ...((stdout.isLossy || stderr.isLossy) && { notUtf8: true }),
  };
}

function describeFailure(error: unknown): unknown {
  if (!HawserError.isInstance(error) || codeOf(error.cause) !== "E2BIG") return error;
  return new HawserError("tool_failed", "the arguments are too long for the system; give fewer, or write them to a file", { cause: error });
}
