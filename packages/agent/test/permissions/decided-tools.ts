// The built-in tools as the runtime calls them: rules decide, the user answers, the tool runs. A test can do something
// to the file system between the decision and the tool, or while a question waits.

import type { BuiltinToolsOptions } from "../../src/tools/builtin-tools.ts";
import { createBuiltinTools } from "../../src/tools/builtin-tools.ts";
import { createPolicy, type RulesPolicy } from "../../src/permissions/create-policy.ts";
import type { PermissionRule } from "../../src/rules/permission-rule.ts";
import { createQuestions } from "../../src/runtime/questions.ts";
import { createToolRunners, type TurnScope, type ToolResult } from "../../src/runtime/tool-runner.ts";

export interface DecidedTools {
  readonly policy: RulesPolicy;
  run(toolName: string, input: object): Promise<ToolResult>;
  /** What was asked, in words. */
  readonly questions: string[];
  /** Called after a decision, before the tool runs. */
  afterDecision?: (() => void) | undefined;
  /** Called when a question is shown, before it is answered. */
  whileAsked?: (() => void) | undefined;
}

export function createDecidedTools(rules: readonly PermissionRule[], options: BuiltinToolsOptions): DecidedTools {
  const policy = createPolicy({ rules, roots: options.roots });
  const questions = createQuestions({ permissionMs: 60_000, permissionUnprovenMs: 60_000 });
  const noting = {
    ...policy,
    note(...given: Parameters<typeof policy.note>) {
      policy.note(...given);
      stage.afterDecision?.();
    },
  };
  const runner = createToolRunners({ questions, toolMs: 60_000 })(createBuiltinTools(options), noting);
  const scope: TurnScope = {
    conversationId: "c1",
    signal: new AbortController().signal,
    heardAt: () => performance.now(),
    onQuestion() {},
    beforeCall: async () => {},
    async emit(event) {
      if (event.type !== "permission_request") return;
      const { permissionId, reason } = event.data;
      stage.questions.push(reason);
      stage.whileAsked?.();
      questions.answer({ permissionId, decision: "allow", via: "click" });
    },
  };
  const stage: DecidedTools = {
    policy,
    questions: [],
    async run(toolName, input) {
      const results: ToolResult[] = [];
      await runner.run([{ toolId: "t1", toolName, input }], scope, async (result) => void results.push(result));
      return results[0] as ToolResult;
    },
  };
  return stage;
}
