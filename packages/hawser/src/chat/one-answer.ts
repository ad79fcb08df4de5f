// One message and its answer. stdout holds the answer's text, or with `--json` the events, and nothing else. Where the user
// can't be asked, what would ask is denied: stderr says so, and the exit code, since a script may need what was not done.

import type { AgentMessage, OnPermission, SpawnedAgent, TurnEvent } from "@hawser/agent/host";
import { HawserError, toHawserError } from "@hawser/protocol";
import { reportFailure, toExitCode } from "../command-line/failure.ts";
import { watchInterruption } from "../command-line/interruption.ts";
import { fitLine, isOutputError, printTo, writeOut } from "../command-line/output.ts";
import { createApproval } from "./approval.ts";
import { terminal } from "./tool-card.ts";
import { createTurnView } from "./turn-view.ts";

/** The exit code. */
export async function answerOnce(agent: SpawnedAgent, message: AgentMessage, isJson: boolean): Promise<number> {
  const interruption = watchInterruption();
  const output = isJson ? createJsonOutput() : process.stdout.isTTY ? createTerminalOutput() : createTextOutput();
  const denials: string[] = [];
  const turn = agent.send(message, { signal: interruption.signal, onPermission: output.onPermission ?? (() => "deny") });
  try {
    output.begin?.(agent.info?.model);
    for await (const event of turn) {
      const denied = denialIn(event);
      if (denied !== undefined) denials.push(denied);
      await output.show(event);
    }
    await output.end();
    // Behind the answer, whose last line it would else go on with. A terminal has shown it already.
    if (isJson || !process.stdout.isTTY) sayWhatWasDenied(denials);
    return denials.length > 0 ? deniedExitCode : 0;
  } catch (error) {
    // The reader is gone, or it can't be written, which is said elsewhere.
    if (isOutputError(error)) return 0;
    const failure = toHawserError(error);
    await output.end(failure).catch(() => {});
    if (!isJson) reportFailure(new HawserError(failure.code, fitLine(failure.message, maxMessageChars)));
    return interruption.exitCode ?? toExitCode(failure);
  } finally {
    interruption.dispose();
  }
}

const maxMessageChars = 2_000;
const maxShownDenials = 10;
/** The answer is complete, and something that the agent wanted to do was not done. */
const deniedExitCode = 8;

interface Output {
  /** The message was sent to this model. */
  begin?(model: string | undefined): void;
  /** Where the user can be asked. */
  readonly onPermission?: OnPermission;
  show(event: TurnEvent): Promise<void> | void;
  end(error?: HawserError): Promise<void>;
}

/** Whether a person sits there who can be asked. */
export const canAsk = (isJson: boolean): boolean => process.stdin.isTTY && process.stdout.isTTY && !isJson;

/** Which tool was denied, and why, if the event says so. */
function denialIn(event: TurnEvent): string | undefined {
  if (event.type !== "tool_result" || !event.data.isError || !event.data.error?.startsWith("denied: ")) return undefined;
  return `${event.data.toolName} was ${event.data.error}`;
}

// The runtime denies by itself where it can't ask; a reader of the answer's text alone should know too.
function sayWhatWasDenied(denials: readonly string[]): void {
  const shown = denials.slice(0, maxShownDenials).map((denial) => `hawser: ${fitLine(denial, maxMessageChars)}\n`);
  const left = denials.length - shown.length;
  printTo(process.stderr, shown.join("") + (left > 0 ? `hawser: ${left} more were denied\n` : ""));
}

function createJsonOutput(): Output {
  const print = (value: object): Promise<void> => writeOut(Buffer.from(`${JSON.stringify(value)}\n`));
  return {
    show: print,
    end: async (error) => {
      if (error) await print({ type: "error", error: error.message, code: error.code, timestamp: Date.now() });
    },
  };
}

function createTextOutput(): Output {
  let last = "\n";
  const print = async (text: string): Promise<void> => {
    last = text.at(-1) ?? last;
    if (text !== "") await writeOut(Buffer.from(text));
  };
  return {
    show: async (event) => (event.type === "token" ? print(event.token) : undefined),
    end: async () => (last === "\n" ? undefined : print("\n")),
  };
}

function createTerminalOutput(): Output {
  const view = createTurnView(terminal);
  const onPermission = canAsk(false) && { onPermission: createApproval(view, () => process.kill(process.pid, "SIGINT")) };
  return { ...view, ...onPermission, end: async () => view.end() };
}
