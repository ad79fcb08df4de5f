// What was said in the tests with each agent, for people: with HAWSER_TRANSCRIPTS=1 it is written into the documentation.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { AnyAgentResponse } from "@hawser/protocol";

const file = resolve(import.meta.dirname, "../../docs/agent/acp-transcripts.md");
export const isTranscribed = process.env["HAWSER_TRANSCRIPTS"] === "1";

const opening = `# What agents of others say

One conversation with each agent as the tests have it: real programs, whose model is scripted. It calls a function of the running program, then wants to write a file, which is denied and then allowed. Lines are events of the
[agent protocol](../protocol/agent.md), shortened; \`>\` is the user. \`HAWSER_TRANSCRIPTS=1 npm run test:agents\` writes this page. More about them: [agents of others](acp-agents.md).
`;

export interface SaidTurn {
  readonly message: string;
  readonly decision: string;
  readonly responses: readonly AnyAgentResponse[];
}

const lineChars = 300;

function toLines({ message, decision, responses }: SaidTurn, hide: (text: string) => string): string[] {
  const lines = [`> ${message}`];
  let text = "";
  for (const response of responses) {
    if (response.type === "token") {
      text += response.token;
      continue;
    }
    if (text !== "") lines.push(`token            ${JSON.stringify(text)}`);
    text = "";
    if (response.type === "permission_request") {
      const { title, toolName, input, options = [] } = response.data;
      const offered = options.map(({ name }) => name).join(" | ");
      lines.push(`${"permission_request".padEnd(16)} ${title ?? toolName} ${JSON.stringify(input)} [${offered}]`, `> ${decision}`);
    } else if (response.type === "tool_use") {
      lines.push(`tool_use         ${response.data.title ?? response.data.toolName} ${JSON.stringify(response.data.input)}`);
    } else if (response.type === "tool_result") {
      lines.push(`tool_result      ${JSON.stringify(response.data.error ?? response.data.result)}`);
    } else if (response.type === "done" || response.type === "error") lines.push(response.type);
  }
  return lines.map(hide).map((line) => (line.length > lineChars ? `${line.slice(0, lineChars)}…` : line));
}

/** Puts one agent's conversation in place of its last one. `hidden`: what is only so on this machine, and what it is called instead. */
export function writeTranscript(agent: string, turns: readonly SaidTurn[], hidden: readonly (readonly [string, string])[]): void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const sections = new Map(
    before
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split("\n", 1)[0] ?? "", section.trimEnd()]),
  );
  const hide = (text: string): string => hidden.reduce((shownText, [real, shown]) => shownText.replaceAll(real, shown), text);
  const lines = turns.flatMap((turn) => ["", ...toLines(turn, hide)]).join("\n");
  sections.set(agent, `${agent}\n\n\`\`\`text${lines}\n\`\`\``);
  const all = [...sections].toSorted(([a], [b]) => a.localeCompare(b)).map(([, section]) => `## ${section}\n`);
  writeFileSync(file, [opening, ...all].join("\n"));
}
