// Servers and agents as they are typed or pasted, and what the configuration gets of them.

import { describe, expect, it } from "vitest";
import {
  emptyProgram,
  isEditable,
  keptValue,
  toAgent,
  toAgentChange,
  toPastedServers,
  toProgramDraft,
  toServer,
  toServerChange,
} from "../../src/page/settings/entries.ts";

describe("pasted servers", () => {
  const tides = { command: "npx", args: ["-y", "tides"], env: { TOKEN: "x" } };

  it.each([
    ["the whole file of a client", { mcpServers: { tides }, theme: "dark" }],
    ["that of an editor", { servers: { tides } }],
    ["that of another editor", { context_servers: { tides } }],
    ["only what is inside", { tides }],
    ["with members that mean nothing here", { mcpServers: { tides: { ...tides, autoApprove: ["a"], timeout: 5 } } }],
  ])("are found in %s", (_, pasted) => {
    expect(toPastedServers(JSON.stringify(pasted))).toEqual({ tides });
  });

  it("may have their address under the names that other clients use", () => {
    const pasted = { a: { url: "https://a" }, b: { serverUrl: "https://b" }, c: { httpUrl: "https://c", headers: { X: "1" } } };
    expect(toPastedServers(JSON.stringify(pasted))).toEqual({
      a: { url: "https://a" },
      b: { url: "https://b" },
      c: { url: "https://c", headers: { X: "1" } },
    });
  });

  it.each(["", "{", "[]", "7", "{}", '{"mcpServers": {}}', '{"a": {"command": 7}}', '{"a": "secret-value"}', '{"secret-value'])(
    "that are none are refused by a sentence that repeats nothing: %s",
    (text) => {
      expect(() => toPastedServers(text)).toThrow(/^(?!.*secret-value).*(?:not valid JSON|no MCP server in it)/);
    },
  );

  it("may be called what objects have by themselves", () => {
    expect(Object.keys(toPastedServers('{"__proto__": {"command": "x"}}'))).toEqual(["__proto__"]);
  });
});

describe("a typed server or agent", () => {
  it("is a program with its arguments and environment, or an address with headers", () => {
    const typed = { name: " tides ", command: " npx ", args: "-y\n\nsome server\n", env: "TOKEN=a=b\nEMPTY=" };
    expect(toServer(typed)).toEqual({ tides: { command: "npx", args: ["-y", "some server"], env: { TOKEN: "a=b", EMPTY: "" } } });
    expect(toServer({ ...typed, command: "https://a/mcp", env: "Authorization: Bearer x" })).toEqual({
      tides: { type: "http", url: "https://a/mcp", headers: { Authorization: "Bearer x" } },
    });
    expect(toAgent({ ...emptyProgram, name: "mine", command: "my-agent" })).toEqual({ mine: { command: "my-agent" } });
  });

  it("is refused by the name of the field that is missing or wrong", () => {
    expect(() => toServer(emptyProgram)).toThrow("which program");
    expect(() => toServer({ ...emptyProgram, command: "x" })).toThrow("A name is missing");
    expect(() => toAgent({ ...emptyProgram, name: "x" })).toThrow("which program");
    expect(() => toServer({ ...emptyProgram, name: "x", command: "x", env: "A=1\nsecret-value" })).toThrow(/^(?!.*secret).*Line 2/);
  });
});

describe("an edited server or agent", () => {
  const tides = { name: "tides", command: "npx", args: ["-y", "some server"], secrets: ["TOKEN", "OLD"] };
  const far = { name: "far", url: "https://a/mcp", secrets: ["Authorization"] };

  it("is shown as it is typed, without its values, and unchanged it changes nothing but to itself", () => {
    const draft = toProgramDraft(tides);
    expect(draft).toEqual({ name: "tides", command: "npx", args: "-y\nsome server", env: `TOKEN=${keptValue}\nOLD=${keptValue}` });
    expect(toServerChange(draft, tides)).toEqual({
      tides: { type: null, url: null, command: "npx", args: ["-y", "some server"], env: {}, headers: null },
    });
    expect(toServerChange(toProgramDraft(far), far)).toEqual({
      far: { command: null, args: null, type: undefined, url: "https://a/mcp", env: null, headers: {} },
    });
  });

  it("names what is written anew, and what is gone", () => {
    const draft = { ...toProgramDraft(tides), args: "", env: `TOKEN=${keptValue}\nNEW=x` };
    expect(toServerChange(draft, tides)).toMatchObject({ tides: { args: null, env: { OLD: null, NEW: "x" } } });
    expect(toAgentChange({ ...draft, env: "" }, tides)).toEqual({
      tides: { command: "npx", args: null, env: { TOKEN: null, OLD: null } },
    });
  });

  it("that becomes another sort of server takes no value along", () => {
    const draft = { ...toProgramDraft(tides), command: "https://b", args: "" };
    expect(() => toServerChange(draft, tides)).toThrow("The value of TOKEN is not known: write it anew.");
    expect(toServerChange({ ...draft, env: "X=1" }, tides)).toMatchObject({ tides: { type: "http", env: null, headers: { X: "1" } } });
  });

  it.each([
    ["without a place", { name: "a" }],
    ["with an argument of two lines", { ...tides, args: ["a\nb"] }],
    ["with an empty argument", { ...tides, args: [""] }],
    ["with a character that shows nothing", { ...tides, command: "npx\u202e" }],
    ["with white space around its program", { ...tides, command: " npx" }],
    ["with a name of a value that no line can hold", { ...tides, secrets: ["A B"] }],
  ])("is none %s, which a form can't give back", (_, entry) => {
    expect(isEditable(entry)).toBe(false);
    expect(isEditable(tides) && isEditable(far)).toBe(true);
  });
});
