// A file is named after what it holds; names that fit anything say nothing.

import type { Rule, SyntaxNode } from "./rule.ts";

const vague = /(?:^|[/\\])(?:utils?|helpers?|common|managers?|misc|shared|services?)(?:\.[cm]?[jt]sx?|[/\\])/;

export const tellingFileName: Rule = {
  create: (context) => ({
    Program(node: SyntaxNode) {
      const [, path = ""] = /[/\\](?:apps|packages|bench|scripts|test)[/\\](.*)$/.exec(context.filename) ?? [];
      if (vague.test(path)) context.report({ node, message: "name the file after what it holds, not utils, helpers, common or the like" });
    },
  }),
};
