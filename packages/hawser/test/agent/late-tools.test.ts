// Tools that come late: they are waited for, but not for ever, and none of them takes another's place.

import { describe, expect, it } from "vitest";
import { defineTool, type Tool } from "@hawser/tools";
import { createLateTools } from "../../src/agent/tool-sources.ts";

const tool = (name: string, description = name): Tool => defineTool({ name, description, input: { type: "object" }, run: () => name });
const source = (label: string, ...tools: readonly Tool[]) => ({ label, load: () => Promise.resolve({ tools: () => tools }) });
const namesOf = (tools: readonly Tool[]): string[] => tools.map(({ description }) => description);

describe("late tools", () => {
  it("come after those that are there from the beginning; nothing is loaded before it is asked for", async () => {
    let loads = 0;
    const counted = { label: "counted", load: () => Promise.resolve({ tools: () => [tool(`c${++loads}`)] }) };
    const late = createLateTools(() => [tool("a")], [source("b", tool("b")), counted]);
    expect([namesOf(late.tools()), loads]).toEqual([["a"], 0]);
    await Promise.all([late.whenLoaded(), late.whenLoaded()]);
    expect(namesOf(late.tools())).toEqual(["a", "b", "c1"]);
  });

  it("none takes the place of one that came before it", async () => {
    const late = createLateTools(() => [tool("read_file", "ours")], [source("theirs", tool("read_file", "theirs"), tool("x"))]);
    await late.whenLoaded();
    expect(namesOf(late.tools())).toEqual(["ours", "x"]);
  });

  it("a source that fails costs its own tools only", async () => {
    const late = createLateTools(() => [], [{ label: "broken", load: () => Promise.reject(new Error("no")) }, source("fine", tool("a"))]);
    await late.whenLoaded();
    expect(namesOf(late.tools())).toEqual(["a"]);
  });

  it("one that takes too long is not waited for, and its tools are there when it comes", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = { label: "slow", load: () => gate.promise.then(() => ({ tools: () => [tool("slow")] })) };
    const late = createLateTools(() => [], [slow, source("fast", tool("fast"))], 50);
    await late.whenLoaded();
    expect(namesOf(late.tools())).toEqual(["fast"]);
    gate.resolve();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(namesOf(late.tools())).toEqual(["fast", "slow"]);
  });
});
