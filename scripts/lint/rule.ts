// The small part of the rule interface that our rules use.

export interface SyntaxNode {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
}

export interface RuleContext {
  readonly filename: string;
  readonly sourceCode: { readonly text: string };
  report(finding: { readonly message: string; readonly node: SyntaxNode }): void;
}

export interface Rule {
  create(context: RuleContext): Record<string, (node: never) => void>;
}
