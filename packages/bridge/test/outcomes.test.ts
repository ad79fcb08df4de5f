// Whatever a function returns or throws: the caller gets one valid answer, the connection lives, and
// so does the program.

import { describe, expect } from "vitest";
import { HawserError, IPCConnectionError } from "@hawser/protocol/internal";
import { anyTool, echoTool, it } from "./fixtures/parent-it.ts";

const circular: Record<string, unknown> = {};
circular["self"] = circular;
const deep = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

describe("results that JSON or the contract can't hold", () => {
  it.for<[string, () => unknown, string, RegExp]>([
    ["a BigInt", () => 1n, "IPCToolExecutionError", /tool "odd" returned what JSON can't hold: .*BigInt.*Return plain data/],
    ["a BigInt inside", () => ({ a: [1n] }), "IPCToolExecutionError", /BigInt/],
    ["itself inside", () => circular, "IPCToolExecutionError", /circular/],
    ["a function", () => () => {}, "IPCToolExecutionError", /returned a function/],
    ["a symbol", () => Symbol("s"), "IPCToolExecutionError", /returned a symbol/],
    ["a toJSON that throws", () => ({ toJSON: () => JSON.parse("{") as unknown }), "IPCToolExecutionError", /can't hold/],
    ["a toJSON of nothing", () => ({ toJSON: () => undefined }), "IPCToolExecutionError", /returned a object/],
    [
      "a BigInt in a whole result",
      () => ({ content: [], structuredContent: { a: 1n } }),
      "IPCToolExecutionError",
      /tool "odd" returned what JSON can.t hold: .*BigInt.*Return plain/,
    ],
    ["a whole result of 200 levels", () => ({ content: [], structuredContent: deep(200) }), "IPCError", /result of tool "odd".*127 levels/],
    ["isError that is a text", () => ({ content: [], isError: "yes" }), "IPCToolExecutionError", /tool "odd".*"result\.isError"/],
    [
      "structured content that is a list",
      () => ({ content: [], structuredContent: [1] }),
      "IPCToolExecutionError",
      /"result\.structuredContent"/,
    ],
    [
      "structured content that is null",
      () => ({ content: [], structuredContent: null }),
      "IPCToolExecutionError",
      /"result\.structuredContent"/,
    ],
    ["_meta that is a list", () => ({ content: [], _meta: [] }), "IPCToolExecutionError", /"result\._meta"/],
    [
      "structured content that is a text once it is written",
      () => ({ content: [], structuredContent: new Date(0) }),
      "IPCToolExecutionError",
      /tool "odd".*"result\.structuredContent"/,
    ],
    [
      "a block that is a number once it is written",
      () => [{ type: "text", text: "x", toJSON: () => 5 }],
      "IPCToolExecutionError",
      /tool "odd".*"result\.content/,
    ],
    [
      "a resource that is a text once it is written",
      () => ({ content: [{ type: "resource", resource: new URL("file:///x") }] }),
      "IPCToolExecutionError",
      /tool "odd".*"result\.content": a block lacks its members/,
    ],
  ])("R25 R35 H5 returning %s becomes an error answer", async ([, run, type, message], { start, connect }) => {
    const client = await connect(await start([anyTool("odd", run), echoTool]));
    expect(await client.ask("odd")).toEqual({ error: { message: expect.stringMatching(message) as string, type } });
    expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });
});

class Foo extends Error {}
class ValueError extends Error {}
class Nameless extends Error {
  static override readonly name = "";
}

function withGetters(members: readonly string[]): Error {
  const error = new Error("x");
  for (const member of members) {
    Object.defineProperty(error, member, {
      get() {
        throw new TypeError(`no ${member} for you`);
      },
    });
  }
  return error;
}

const hostileProxy = new Proxy(new Error("x"), {
  get: () => {
    throw new TypeError("no get");
  },
  has: () => {
    throw new TypeError("no has");
  },
  getPrototypeOf: () => {
    throw new TypeError("no prototype");
  },
});

describe("what functions throw", () => {
  const cases: readonly (readonly [string, unknown, string, string | RegExp])[] = [
    ["an error of an own class", new Foo("no row 7"), "Foo", 'tool "bad" failed: no row 7'],
    ["an error that is called as in Python", new ValueError("x"), "ValueError", 'tool "bad" failed: x'],
    ["an error of the language", new TypeError("t"), "TypeError", 'tool "bad" failed: t'],
    ["an error whose class has no name", new Nameless("n"), "Error", 'tool "bad" failed: n'],
    ["an error without a message", new Error(), "Error", 'tool "bad" failed: Error'],
    ["an abort", new DOMException("The operation was aborted", "AbortError"), "DOMException", /aborted/],
    ["null", null, "Error", 'tool "bad" failed: thrown value: null'],
    ["undefined", undefined, "Error", 'tool "bad" failed: thrown value: undefined'],
    ["a text", "just a text", "Error", 'tool "bad" failed: just a text'],
    ["a number", 42, "Error", 'tool "bad" failed: thrown value: 42'],
    ["a symbol", Symbol("s"), "Error", 'tool "bad" failed: thrown value: Symbol(s)'],
    ["an object without a prototype", Object.create(null), "Error", /^tool "bad" failed/],
    ["a frozen error", Object.freeze(new Foo("cold")), "Foo", 'tool "bad" failed: cold'],
    [
      "an error with a cause",
      new Error("fetch failed", { cause: new Error("refused", { cause: new Foo("port 1") }) }),
      "Error",
      'tool "bad" failed: fetch failed; caused by: refused; caused by: port 1',
    ],
    ["an error that is its own cause", selfCaused(), "Error", /^tool "bad" failed: round(; caused by: round){1,5}$/],
    ["hostile getters", withGetters(["message", "name", "stack", "cause", "constructor"]), "Error", /^tool "bad" failed/],
    ["a message that is a symbol", Object.assign(new Error(), { message: Symbol("s") }), "Error", /^tool "bad" failed/],
    [
      "a message that can't become a text",
      Object.assign(new Error(), { message: { toString: () => ({}) } }),
      "Error",
      /^tool "bad" failed/,
    ],
    ["a proxy that refuses everything", hostileProxy, "Error", /^tool "bad" failed/],
    ["an error of ours", new HawserError("timeout", "no end within 5 ms"), "IPCError", 'tool "bad" failed: no end within 5 ms'],
    ["an error of the contract", new IPCConnectionError("lost"), "IPCConnectionError", 'tool "bad" failed: lost'],
  ];

  function selfCaused(): Error {
    const error = new Error("round");
    error.cause = error;
    return error;
  }

  for (const way of ["throws", "rejects with"] as const) {
    it.for(cases)(
      `R25 R26 R35 H7 a function that ${way} %s is an error answer with its class`,
      async ([, thrown, type, message], { start, connect }) => {
        const run = (): unknown => {
          if (way === "throws") throw thrown;
          return Promise.reject(thrown);
        };
        const client = await connect(await start([anyTool("bad", run), echoTool]));
        const text: unknown = typeof message === "string" ? message : expect.stringMatching(message);
        expect(await client.ask("bad")).toEqual({ error: { message: text, type } });
        expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
      },
    );
  }

  it("R35 the text of a huge error is cut, and says how long it was", async ({ start, connect }) => {
    const huge = "x".repeat(30_000_000);
    const client = await connect(
      await start([
        anyTool("bad", () => {
          throw new Error(huge);
        }),
        echoTool,
      ]),
    );
    const { error } = await client.ask("bad");
    expect(error?.message.length).toBeLessThan(2_100);
    expect(error?.message).toMatch(/^tool "bad" failed: xxx.*… \(300000\d\d characters\)$/);
    expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });

  it("R35 a rejection that comes after the function has returned does no harm", async ({ start, connect }) => {
    const late = Promise.withResolvers<never>();
    const client = await connect(await start([anyTool("late", () => Promise.race([late.promise, Promise.resolve("first")])), echoTool]));
    expect((await client.ask("late")).result?.content[0]?.text).toBe("first");
    late.reject(new Error("too late"));
    expect((await client.ask("echo", { n: 1 })).result?.structuredContent).toEqual({ n: 1 });
  });
});

describe("results that pass", () => {
  it("R13 R21 R22 H8 O2 O5 BRG-04 isError, several blocks, an unknown block and no block at all arrive as they must", async ({
    start,
    connect,
  }) => {
    const blocks = [
      { type: "text", text: "a\nb" },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "ui", tree: [1] },
    ];
    const whole = { content: blocks, isError: true, structuredContent: { n: 1 }, _meta: { cost: 2 } };
    const client = await connect(
      await start([
        anyTool("whole", () => whole),
        anyTool("empty", () => ({ content: [], isError: true })),
        anyTool("nothing", () => {}),
        anyTool("list", () => []),
      ]),
    );
    expect(await client.ask("whole")).toEqual({ result: whole });
    expect(await client.ask("empty")).toEqual({ result: { content: [{ type: "text", text: "" }], isError: true } });
    expect(await client.ask("nothing")).toEqual({ result: { content: [{ type: "text", text: "" }] } });
    expect(await client.ask("list")).toEqual({ result: { content: [{ type: "text", text: "" }] } });
  });

  it("G14 a value of 500 levels arrives whole, as its JSON text", async ({ start, connect }) => {
    const client = await connect(await start([anyTool("deep", () => deep(500))]));
    const { result } = await client.ask("deep");
    expect(result?.structuredContent).toBeUndefined();
    expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual(deep(500));
  });

  it("G5 half a surrogate pair in a result is replaced, since strict readers would refuse the whole", async ({ start, connect }) => {
    const client = await connect(await start([anyTool("half", () => "a\ud800b")]));
    expect((await client.ask("half")).result?.content[0]?.text).toBe("a\ufffdb");
  });
});
