// The list of models and agents to choose from.

import { describe, expect, it } from "vitest";
import { remedyOf, toChoices } from "../../src/page/components/model-choices.ts";

describe("the choices of models and agents", () => {
  it("stand in groups, with those that can be used first, and agents behind models", () => {
    const entry = (model: string, reason?: string) => ({
      model,
      current: false,
      available: reason === undefined,
      ...(reason && { reason }),
    });
    const listed = [
      entry("anthropic/a", "ANTHROPIC_API_KEY is not set"),
      entry("acp/gemini", "gemini is not on the PATH; run: npm install -g x"),
      entry("acp/codex"),
      entry("offline"),
      entry("own/model"),
    ];
    expect(toChoices(listed, "own/other", true).map(({ group, value, remedy }) => [group, value, remedy])).toEqual([
      ["own", "own/other", undefined],
      ["own", "own/model", undefined],
      ["On this machine", "offline", undefined],
      ["Agents", "acp/codex", undefined],
      ["Agents", "acp/gemini", { command: "npm install -g x" }],
      ["Anthropic", "anthropic/a", "settings"],
    ]);
  });

  it.each([
    ["gemini is not on the PATH; run: npm install -g @google/gemini-cli", "npm install -g @google/gemini-cli"],
    ["It is not logged in.\nLog in with: claude /login", "claude /login"],
    ["OPENAI_API_KEY is not set", "export OPENAI_API_KEY="],
    ["run: \nelsewhere", undefined],
    ["it has no models; start again", undefined],
  ])("take the command out of %j", (reason, command) => {
    expect(remedyOf(reason, false)).toEqual(command === undefined ? undefined : { command });
  });
});
