// How a tool makes its call: by operation id, through the call core, with the mutation confirmed by
// whoever allowed mutations. Never throws for what the API or the arguments did wrong: a model gets
// an error result that it can act on.

import { describeThrown, type CallItem } from "@hawser/wire";
import type { CallCore } from "../call.ts";
import type { OperationIndex, OperationSummary } from "../openapi/operation.ts";
import { toOperationInput, type OperationInput } from "./operation-input.ts";
import { isMutation } from "./select-operations.ts";
import { toFailedResult, toOperationResult, type OperationResult } from "./tool-result.ts";

export interface OperationCaller {
  readonly index: OperationIndex;
  inputOf(operation: OperationSummary): Promise<OperationInput>;
  call(operation: OperationSummary, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<OperationResult>;
}

export function createOperationCaller(index: OperationIndex, core: CallCore, tokenHeader: string | undefined): OperationCaller {
  const inputOf = async (operation: OperationSummary): Promise<OperationInput> =>
    toOperationInput(await index.describe(operation), index.securitySchemes, tokenHeader);

  async function call(operation: OperationSummary, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<OperationResult> {
    try {
      const input = await inputOf(operation);
      const item: CallItem = { op: operation.operationId, ...input.toCall(args), ...(isMutation(operation) && { yes: true }) };
      return toOperationResult(await core.call(item, { signal }));
    } catch (error) {
      return toFailedResult(describeThrown(error));
    }
  }
  return { index, inputOf, call };
}
