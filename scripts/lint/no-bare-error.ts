// What a package throws has a code and a remedy: HawserError, not one of the language's own errors.

import type { Rule, SyntaxNode } from "./rule.ts";

interface ThrowStatement extends SyntaxNode {
  readonly argument: { readonly type: string; readonly callee?: { readonly type: string; readonly name?: string } };
}

const bareErrors = new Set([
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "EvalError",
  "ReferenceError",
  "URIError",
  "AggregateError",
]);

export const noBareError: Rule = {
  create: (context) => ({
    ThrowStatement(node: ThrowStatement) {
      const { type, callee } = node.argument;
      const isMade = type === "NewExpression" || type === "CallExpression";
      if (isMade && callee?.type === "Identifier" && bareErrors.has(callee.name ?? "")) {
        context.report({ node, message: `throw a HawserError with a code instead of ${callee.name}` });
      }
    },
  }),
};
