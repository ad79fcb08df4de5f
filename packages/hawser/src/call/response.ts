// A response on stdout: its headers where they were asked for, then its body, as it comes or all at once.

import type { CallOutcome, CallResponse, OnBody } from "@hawser/gateway/internal";
import { searchHint } from "../api/run.ts";
import { toAdvice } from "../command-line/failure.ts";
import { endLine, isOutputError, writeOut } from "../command-line/output.ts";

export type BodyPrinter = ReturnType<typeof createBodyPrinter>;

export function createBodyPrinter() {
  let isBegun = false;
  let isOver = false;

  async function print(bytes: Buffer, { status, headers }: Pick<CallResponse, "status" | "headers">): Promise<void> {
    if (!isBegun && headers) await writeOut(Buffer.from(toHeaderText(status, headers)));
    isBegun = true;
    if (bytes.length > 0) await writeOut(bytes);
  }
  function noteEnd(error: unknown): void {
    if (!isOutputError(error)) throw error;
    isOver = true;
  }
  /** Its promise is backpressure. */
  const write: OnBody = (chunk, response) =>
    print(chunk, response).catch((error: unknown) => {
      noteEnd(error);
      throw error;
    });
  return {
    write,
    /** Prints what was not printed yet. */
    async end(response: CallResponse | undefined): Promise<void> {
      if (!response) return;
      await print(Buffer.from(response.body, response.bodyEncoding ?? "utf8"), response)
        .then(endLine)
        .catch(noteEnd);
    },
    /** Whether stdout takes no more: its reader is gone, or it has failed, which is said elsewhere. */
    isOver: () => isOver,
  };
}

export const toHeaderText = (status: number, headers: NonNullable<CallResponse["headers"]>): string =>
  `HTTP ${status}\n${Object.entries(headers)
    .flatMap(([name, values]) => values.map((value) => `${name}: ${value}\n`))
    .join("")}\n`;

/** In the words of the command line, with a command that helps. */
export function explainOutcome(outcome: CallOutcome): CallOutcome {
  const { error, errorInfo, asFlags } = outcome;
  if (error === undefined || !errorInfo) return outcome;
  const ownHint = errorInfo.hint ?? (/^operationId .* not found/.test(error) ? searchHint : undefined);
  const { message, hint } = toAdvice(error, { hint: ownHint, asFlags });
  return { ...outcome, error: message, errorInfo: { ...errorInfo, hint } };
}
