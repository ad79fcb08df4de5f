// Why a request of an editor failed, as JSON-RPC says it: in the message, which is what editors show. The library would say "Internal
// error" and put the reason where most of them don't look.

import { RequestError } from "@agentclientprotocol/sdk";
import { toHawserError } from "@hawser/protocol";

const invalidParams = -32_602;
const internalError = -32_603;
const ofTheEditor: ReadonlySet<string> = new Set(["invalid_message", "too_large"]);

export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const { code, message } = toHawserError(error);
  return new RequestError(ofTheEditor.has(code) ? invalidParams : internalError, message, { code });
}

/** A handler whose failures are said so. */
export const inWords =
  <Given, Answer>(answer: (given: Given) => Answer | Promise<Answer>) =>
  async (given: Given): Promise<Answer> => {
    try {
      return await answer(given);
    } catch (error) {
      throw toRequestError(error);
    }
  };
