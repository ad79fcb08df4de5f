// RUN-12 for models: whatever a vendor's server does wrong, a step ends once, with its text kept and one clear
// error, or goes on after another try that the user was told about.

import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { HawserError, protocolLimits } from "@hawser/protocol/internal";
import { agentLimits } from "../../src/limits.ts";
import { createBoundedFetch } from "../../src/model/bounded-fetch.ts";
import { freeHost } from "../free-address.ts";
import { apis, createGate, createStep, modelAt, only, readStep, startScriptedModel, type Api } from "./model-rig.ts";
import { until } from "../../../../test/kit/until.ts";
import type { ScriptedAnswer, ScriptedFailure } from "../../../../test/kit/models/scripted-server.ts";

/** What a server says that wants no pause at all. */
const atOnce = { "retry-after": "0" };

describe.concurrent.each(apis)("RUN-12: the %s API", (api) => {
  it.each<[string, ScriptedAnswer]>([
    ["ends properly but too early", { cut: "end" }],
    ["is cut", { cut: "reset" }],
    ["ends without a reason for its end", { finish: null }],
    ["sends what is no JSON", { raw: "data: {nonsense\n\n" }],
    ["sends an event of another kind", { raw: 'data: {"type":5,"choices":7}\n\n' }],
    ["reports an error in the middle", { error: { type: "api_error", message: "the machine is on fire" } }],
  ])("%s: the text is kept and one error says so, without another try", async (_, answer) => {
    // The fault comes after the first piece was read, so that there is something to keep.
    const { promise: isRead, resolve } = createGate();
    await using scripted = await startScriptedModel(api, [{ text: ["Half an", isRead], ...answer }, { text: "never" }]);
    const { text, events, error } = await readStep(scripted.model, createStep(), () => resolve());
    expect(text).toBe("Half an");
    expect(only(events, "notice")).toEqual([]);
    expect(error?.message).toMatch(/the answer ended before it was complete|broke off|the machine is on fire/);
    expect(scripted.server.requests).toHaveLength(1);
  });

  it("a call in an answer that broke off is not made", async () => {
    const calls = [{ id: "c", name: "list_files", input: { path: "." } }];
    await using scripted = await startScriptedModel(api, [{ text: "I look.", calls, cut: "end" }]);
    const { events, error } = await readStep(scripted.model);
    expect(only(events, "tool_call")).toEqual([]);
    expect(error?.code).toBe("connection_lost");
  });

  it("an event of 100 MB is given up at its limit, once", async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<string> {
      yield "data: ";
      for (const piece = "x".repeat(65_536); sent < 100_000_000; sent += piece.length) yield piece;
    }
    await using scripted = await startScriptedModel(api, [{ raw: endless }, { text: "never" }]);
    const { events, error } = await readStep(scripted.model);
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining(String(agentLimits.modelLineBytes)) });
    await until(() => scripted.server.abandoned === 1);
    // Its limit, and what the system holds for a connection, which differs by machine.
    expect(sent).toBeLessThan(90_000_000);
  });

  it("500 and 529 are tried again, and the user is told", async () => {
    const body = { type: "error", error: { type: "api_error", message: "no" } };
    await using scripted = await startScriptedModel(api, [
      { status: 500, headers: atOnce, body },
      { status: 529, headers: atOnce, body },
      { text: "At last" },
    ]);
    const { text, events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(text).toBe("At last");
    const pause = expect.stringMatching(/: (?:status 500|overloaded); trying again in (?:\d{3} ms|1 s)$/);
    expect(only(events, "notice").map(({ message }) => message)).toEqual([pause, pause]);
  });

  it("429 with retry-after is tried again no sooner than that", async () => {
    await using scripted = await startScriptedModel(api, [{ status: 429, headers: { "retry-after": "1" } }, { text: "Now" }]);
    const began = performance.now();
    const { text, events } = await readStep(scripted.model);
    expect(performance.now() - began).toBeGreaterThan(990);
    expect(text).toBe("Now");
    expect(events[0]).toEqual({ type: "notice", message: `${scripted.model.name}: rate limited; trying again in 1 s` });
  });

  it("a connection that is cut before anything came is tried again", async () => {
    await using scripted = await startScriptedModel(api, ["hang up", { cut: "end" }, { text: "Here" }]);
    const { text, events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(text).toBe("Here");
    expect(only(events, "notice")).toHaveLength(2);
  });

  it.each<[number, string, RegExp]>([
    [400, "model_failed", /refused \(400\): wrong/],
    [401, "usage", /the key in (ANTHROPIC_API_KEY|OPENAI_API_KEY|OTHER_KEY) was refused; check it/],
    [403, "usage", /the key in (ANTHROPIC_API_KEY|OPENAI_API_KEY|OTHER_KEY) was refused; check it/],
    [404, "usage", /no such model/],
    [413, "too_large", /too large/],
  ])("status %i is an error at once", async (status, code, message) => {
    await using scripted = await startScriptedModel(api, [{ status, body: { error: { message: "wrong" } } }, { text: "never" }]);
    const { events, error } = await readStep(scripted.model);
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(scripted.server.requests).toHaveLength(1);
  });

  it("an error page of a proxy is shown as far as it helps", async () => {
    await using scripted = await startScriptedModel(api, [
      { status: 403, body: `<html>\n<h1>Blocked by policy</h1>${" ".repeat(50_000)}</html>` },
    ]);
    const { error } = await readStep(scripted.model);
    expect(error?.message.length).toBeLessThan(protocolLimits.maxErrorTextChars + 1);
    expect(error?.message).toContain("403");
  });

  it("a redirect is not followed: the key stays where it belongs", async () => {
    await using other = await startScriptedModel(api, [{ text: "stolen" }]);
    await using scripted = await startScriptedModel(api, (request) => ({
      status: 307,
      headers: { location: `${other.server.origin}${request.path}` },
    }));
    const { error } = await readStep(scripted.model);
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining("redirects") });
    expect(other.server.requests).toEqual([]);
  });

  it("a wait before the next try ends at once when the turn is cancelled", async () => {
    await using scripted = await startScriptedModel(api, [{ status: 429, headers: { "retry-after": "50" } }]);
    const controller = new AbortController();
    const reason = new HawserError("cancelled", "the user said so");
    const { error } = await readStep(scripted.model, createStep({ signal: controller.signal }), () => controller.abort(reason));
    expect(error).toBe(reason);
  });

  it("a server that asks for too long a wait has its error shown at once", async () => {
    const body = { error: { type: "rate_limit_error", message: "too many of you" } };
    await using scripted = await startScriptedModel(api, [{ status: 429, headers: { "retry-after": "1000000000" }, body }]);
    const { events, error } = await readStep(scripted.model);
    expect(events).toEqual([]);
    expect(error).toMatchObject({
      code: "overloaded",
      message: `${scripted.model.name}: rate limited (429): too many of you`,
      facts: { retryAfterMs: 1_000_000_000_000 },
    });
  });
});

describe.concurrent("RUN-12: an address", () => {
  it("where nobody listens is tried again, then one error names the cause", async () => {
    const port = await unusedPort();
    const model = await modelAt("chat", `http://${freeHost}:${port}`);
    const { events, error } = await readStep(model);
    expect(only(events, "notice")).toHaveLength(agentLimits.modelRetryCalls);
    expect(error).toMatchObject({
      code: "connection_failed",
      message: `${model.name}: ${freeHost}:${port}: connection refused (ECONNREFUSED); check the network and the server's address, or pick another model`,
    });
  });

  it("where something else answers is an error at once", async () => {
    const server = createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const model = await modelAt("chat", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { events, error } = await readStep(model);
    server.close();
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: "connection_failed", message: expect.stringContaining("does not match the HTTP/1.1 protocol") });
  });

  it("whose answer begins with an error and never ends is let go of", async () => {
    const event = { type: "error", error: { type: "authentication_error", message: "no" } };
    let open = 0;
    const server = createServer((socket) => {
      open += 1;
      socket.on("error", () => undefined).on("close", () => (open -= 1));
      socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n\r\nevent: error\ndata: ${JSON.stringify(event)}\n\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const model = await modelAt("messages", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect((await readStep(model)).error).toMatchObject({ code: "usage", facts: { status: 401 } });
    await until(() => open === 0);
    server.close();
  });

  it("that shows a web page is said to be wrong", async () => {
    const page = { status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<html>Welcome</html>" };
    await using scripted = await startScriptedModel("chat", [page]);
    const { error } = await readStep(scripted.model);
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining("web page") });
  });
});

describe.concurrent("RUN-12: another try", () => {
  it("gives up after so many tries, none of them at once though the server asks for it", async () => {
    await using scripted = await startScriptedModel("chat", () => ({ status: 429, headers: atOnce }));
    const began = performance.now();
    const { events, error } = await readStep(scripted.model);
    expect(events).toHaveLength(agentLimits.modelRetryCalls);
    // Half of each pause is certain.
    const leastMs = [0, 1, 2, 3].map((tries) => (agentLimits.modelBackoffMs * 2 ** tries) / 2);
    expect(performance.now() - began).toBeGreaterThan(leastMs.reduce((sum, ms) => sum + ms) - 10);
    expect(scripted.server.requests).toHaveLength(agentLimits.modelRetryCalls + 1);
    expect(error?.code).toBe("overloaded");
  });

  it("is made for an overload that comes as the first event", async () => {
    const event = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const overload = {
      status: 200,
      headers: { "content-type": "text/event-stream" },
      body: `event: error\ndata: ${JSON.stringify(event)}\n\n`,
    };
    await using scripted = await startScriptedModel("messages", [overload, { text: "Fine" }]);
    const { text, events } = await readStep(scripted.model);
    expect(text).toBe("Fine");
    expect(only(events, "notice")).toMatchObject([{ message: expect.stringContaining("overloaded; trying again in") }]);
  });

  it.each<[string, ScriptedFailure]>([
    ["the vendor says that it is of no use", { status: 529, headers: { "x-should-retry": "false" } }],
    ["the money is used up", { status: 429, headers: atOnce, body: { error: { message: "Pay", type: "x", code: "insufficient_quota" } } }],
  ])("is not made when %s", async (_, failure) => {
    await using scripted = await startScriptedModel("responses", [failure, { text: "never" }]);
    const { events, error } = await readStep(scripted.model);
    expect(events).toEqual([]);
    expect(error?.code).toBe("overloaded");
  });
});

describe.concurrent("an answer that stops short", () => {
  const reasons: Readonly<Record<Api, { length: string; filter: string; other: string }>> = {
    messages: { length: "max_tokens", filter: "refusal", other: "lunch_break" },
    chat: { length: "length", filter: "content_filter", other: "lunch_break" },
    responses: { length: "max_output_tokens", filter: "content_filter", other: "lunch_break" },
  };

  it.each(apis)("at the output limit keeps its text and is an error through %s", async (api) => {
    await using scripted = await startScriptedModel(api, [{ text: "Once upon", finish: reasons[api].length }]);
    const { text, events, error } = await readStep(scripted.model);
    expect(text).toBe("Once upon");
    expect(only(events, "usage")).toHaveLength(1);
    expect(error).toMatchObject({ code: "model_failed", message: expect.stringContaining("output limit") });
  });

  it.each(apis)("at the output limit with calls goes on, with a notice through %s", async (api) => {
    const calls = [{ id: "c", name: "list_files", rawArguments: '{"path": "a' }];
    await using scripted = await startScriptedModel(api, [{ calls, finish: reasons[api].length }]);
    const { events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(only(events, "tool_call")).toMatchObject([{ problem: expect.stringContaining("JSON") }]);
    expect(only(events, "notice")).toMatchObject([{ message: expect.stringContaining("output limit") }]);
  });

  it.each(apis)("at a content filter is an error through %s", async (api) => {
    await using scripted = await startScriptedModel(api, [{ text: "Well,", finish: reasons[api].filter }]);
    const { text, error } = await readStep(scripted.model);
    expect(text).toBe("Well,");
    expect(error?.message).toContain("content filter");
  });

  it.each(["messages", "chat"] as const)("for a reason that nobody knows is complete, with a notice through %s", async (api) => {
    await using scripted = await startScriptedModel(api, [{ text: "So.", finish: reasons[api].other }]);
    const { text, events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(text).toBe("So.");
    expect(only(events, "notice")).toMatchObject([{ message: expect.stringContaining("lunch_break") }]);
  });

  it.each(apis)("before it began is a notice through %s", async (api) => {
    await using scripted = await startScriptedModel(api, [{ text: "" }]);
    const { events, error } = await readStep(scripted.model);
    expect(error).toBeUndefined();
    expect(only(events, "notice")).toMatchObject([{ message: expect.stringContaining("the answer is empty") }]);
  });
});

describe("the bounds of a response", () => {
  const boundedText = async (lines: readonly string[]): Promise<string> => {
    const url = `data:text/plain;base64,${Buffer.from(lines.join("\n")).toString("base64")}`;
    return (await createBoundedFetch({ responseBytes: 100, lineBytes: 20 })(url)).text();
  };

  it("let through what is exactly as large", async () => {
    const lines = Array.from({ length: 5 }, () => "x".repeat(19));
    expect(await boundedText(lines)).toBe(lines.join("\n"));
    expect(await boundedText(["x".repeat(20)])).toHaveLength(20);
  });

  it("refuse one byte more, in a line and in all", async () => {
    await expect(boundedText(["a", "x".repeat(21)])).rejects.toThrow("an event of more than 20 bytes");
    await expect(boundedText(["x".repeat(21), "a"])).rejects.toThrow("an event of more than 20 bytes");
    await expect(boundedText(Array.from({ length: 6 }, () => "x".repeat(19)))).rejects.toThrow("a response of more than 100 bytes");
  });
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, freeHost, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
