// The page of the rules that `hawser conform acp` tries, made from the suite.

import { suites, type Rule, type Scenario, type Suite } from "../../packages/conformance/src/index.ts";

const manual = "https://agentclientprotocol.com/protocol/v1";

export function acpRulesPage(): string {
  const { scenarios, rules = {} } = suites["acp"] as Suite;
  return [
    "<!-- Generated from packages/conformance/src/suites/acp-rules.ts by npm run protocols; do not edit. -->\n\n",
    "# The rules that `hawser conform acp` tries\n\n",
    "Every rule of the [Agent Client Protocol](https://agentclientprotocol.com), version 1, that can be seen of an agent from outside, in our words. [Conformance](../conformance.md#agents-of-the-agent-client-protocol) says how to run the suite.\n\n",
    "- **must**: the protocol, or JSON-RPC 2.0, demands it. An agent that breaks it fails.\n",
    "- **should**: the protocol recommends it, or leaves it open. An agent without it is said not to support it.\n",
    "- **advice**: the protocol says nothing of it; it is what hosts are glad of. An agent without it is said not to support it.\n",
    "\nTwo rules hold in every scenario, whatever it is about: each message of the agent is compared with the shape that the schema gives it (ACP-01, ACP-09), and each request with its one response (ACP-10).\n",
    "\nNot tried, since it would touch what belongs to the user: `logout`, and logging in by any method that the agent offers. Not judged, since later versions of the protocol add some: members that the schema does not name.\n",
    `\n## Rules\n\n| rule | what it says | level | in the manual | scenarios |\n| --- | --- | --- | --- | --- |\n`,
    ...Object.entries(rules).map(([id, rule]) => ruleRow(id, rule, scenarios)),
    `\n## Scenarios\n\n| scenario | what it tries | rules |\n| --- | --- | --- |\n`,
    ...scenarios.map(
      ({ id, title, requirements, additive }) =>
        `| \`${id}\` | ${title}${additive ? " (never fails)" : ""} | ${requirements.join(", ")} |\n`,
    ),
  ].join("");
}

function ruleRow(id: string, { rule, level, source }: Rule, scenarios: readonly Scenario[]): string {
  const pages = source.split(", ").map((page) => `[${page}](${manual}/${page})`);
  const tried = scenarios.filter(({ requirements }) => requirements.includes(id)).map((scenario) => `\`${scenario.id}\``);
  return `| ${id} | ${rule} | ${level} | ${pages.join(", ")} | ${tried.join(", ")} |\n`;
}
