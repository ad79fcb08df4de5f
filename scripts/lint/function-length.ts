// A function has at most 60 lines of its own. The lines of functions inside it count for
// those: a factory is a list of small closures, and its file has a limit anyway.

import type { Rule, RuleContext, SyntaxNode } from "./rule.ts";

interface OpenFunction {
  /** Lines of functions directly inside this one. */
  linesInside: number;
}

const maxLines = 60;

export const functionLength: Rule = {
  create(context) {
    const open: OpenFunction[] = [];
    const enter = (): void => void open.push({ linesInside: 0 });
    const leave = (node: SyntaxNode): void => {
      const { linesInside } = open.pop() ?? { linesInside: 0 };
      const lines = node.loc.end.line - node.loc.start.line + 1;
      const outer = open.at(-1);
      // A function on one line shares it with its surroundings.
      if (outer && lines > 1) outer.linesInside += lines;
      check(context, node, lines - linesInside);
    };
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      "FunctionDeclaration:exit": leave,
      "FunctionExpression:exit": leave,
      "ArrowFunctionExpression:exit": leave,
    };
  },
};

function check(context: RuleContext, node: SyntaxNode, ownLines: number): void {
  if (ownLines > maxLines)
    context.report({ node, message: `${ownLines} lines of its own; at most ${maxLines}. Take a whole idea out of it` });
}
