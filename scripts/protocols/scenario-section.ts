// What `hawser conform` tries of a protocol, as the last section of its reference page: made from the suites, so that the
// page states every rule that is tested.

import { suites, type Suite } from "../../packages/conformance/src/index.ts";

/** The suites of a protocol, and whom each of them tries. */
const suitesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bridge: { bridge: "a bridge", parent: "a program with tools" },
  rpc: { rpc: "a server" },
  agent: { agent: "a runtime" },
  echo: { echo: "a server" },
};

export function scenarioSection(protocol: string): string {
  const tried = Object.entries(suitesOf[protocol] ?? {});
  const intro =
    "These are the rules as [`hawser conform`](../conformance.md) tries them, from outside. One that is marked as additive lies beyond the contract: a program without it is said not to support it, and does not fail.\n";
  return `\n## What is tested\n\n${intro}${tried.map(([suite, subject]) => suiteTable(suite, subject)).join("")}`;
}

function suiteTable(suite: string, subject: string): string {
  const { scenarios } = suites[suite] as Suite;
  const rows = scenarios.map(
    ({ id, title, additive }) => `| \`${id}\` | ${title.replaceAll("|", "\\|")} | ${additive ? "additive" : "contract"} |\n`,
  );
  return `\nOf ${subject}, by \`hawser conform ${suite}\`:\n\n| scenario | rule | level |\n| --- | --- | --- |\n${rows.join("")}`;
}
