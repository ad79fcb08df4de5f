// Every file opens with a comment that says what it is: a reader decides there whether to read on.

import type { Rule, SyntaxNode } from "./rule.ts";

export const fileOpening: Rule = {
  create: (context) => ({
    Program(node: SyntaxNode) {
      const code = context.sourceCode.text.replace(/^#!.*\n/, "");
      if (!/^\/[/*]/.test(code)) context.report({ node, message: "open the file with a comment: what it is and what it guarantees" });
    },
  }),
};
