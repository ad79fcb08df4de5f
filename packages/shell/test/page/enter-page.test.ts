// How a page gets access, and keeps it, against a door of the test's own: what a real browser does not show easily.
// The channel between tabs is a real one.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Door } from "../../src/page/access/door.ts";
import { enterPage } from "../../src/page/access/enter-page.ts";

/** The channels of a test, which its pages leave open as long as they live. */
let opened: BroadcastChannel[] = [];

beforeEach(() => {
  class OwnChannel extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      opened.push(this);
    }
  }
  vi.stubGlobal("BroadcastChannel", OwnChannel);
});

afterEach(() => {
  vi.unstubAllGlobals();
  for (const channel of opened) channel.close();
  opened = [];
});

/** Keys are good once; credentials as long as they stand here. */
function createDoor(...good: string[]) {
  const keys = new Set<string>();
  const credentials = new Set(good);
  const calls: string[] = [];
  let count = 0;
  const door: Door = {
    async exchange(key) {
      calls.push("exchange");
      if (!keys.delete(key)) return undefined;
      credentials.add(`credential-${++count}`);
      return `credential-${count}`;
    },
    async newKey(credential) {
      calls.push("newKey");
      if (!credentials.has(credential)) return undefined;
      keys.add(`key-${++count}`);
      return `key-${count}`;
    },
    async isKnown(credential) {
      calls.push("isKnown");
      return credentials.has(credential);
    },
  };
  return { door, keys, credentials, calls };
}

/** What a tab keeps over a reload. */
function keepIn(kept: string | null) {
  const store = new Map([["hawser-credential", kept]]);
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => store.get(name) ?? null,
    setItem: (name: string, value: string) => store.set(name, value),
    removeItem: (name: string) => store.delete(name),
  });
  return () => store.get("hawser-credential");
}

const neverLocked = () => expect.fail("it has access");

describe("a page", () => {
  it("exchanges the key of its address, keeps the credential for a reload, and shows it where a browser would not by itself", async () => {
    const kept = keepIn(null);
    const { door, keys } = createDoor();
    keys.add("launch");
    const access = await enterPage({ key: "launch", door, onLocked: neverLocked });
    expect(kept()).toBe("credential-1");
    expect(access.headers()).toEqual({ authorization: "Bearer credential-1" });
    expect(access.subprotocols()).toEqual(["hawser", "hawser.key.credential-1"]);
  });

  it("exchanges it again when the server was not reached, and gives up after a few times", async () => {
    keepIn("old");
    const { door, keys, calls } = createDoor("old");
    keys.add("launch");
    const broken = { ...door, exchange: async () => Promise.reject(new TypeError(`not reached ${calls.push("broken")}`)) };
    const attempts = new Set<string>();
    const once = {
      ...door,
      exchange: async (key: string, attempt: string) =>
        attempts.add(attempt) && calls.length === 0 ? broken.exchange() : door.exchange(key, attempt),
    };
    expect((await enterPage({ key: "launch", door: once, onLocked: neverLocked })).headers()).toEqual({
      authorization: "Bearer credential-1",
    });
    // The server can tell that it is the same page.
    expect(attempts.size).toBe(1);
    calls.length = 0;
    keepIn("old");
    // What the tab still holds is good.
    expect((await enterPage({ key: "launch", door: broken, onLocked: neverLocked })).headers()).toEqual({ authorization: "Bearer old" });
    expect(calls).toEqual(["broken", "broken", "broken", "isKnown"]);
  });

  it("without a key takes what it holds, also while the server can't be reached, but nothing that is no credential", async () => {
    const { door } = createDoor("mine");
    keepIn("mine");
    const away = { ...door, isKnown: async () => Promise.reject(new TypeError("not reached")) };
    for (const each of [door, away])
      expect((await enterPage({ key: undefined, door: each, onLocked: neverLocked })).headers()).toEqual({ authorization: "Bearer mine" });
  });

  it("takes nothing for a credential that is none, whoever left it there", async () => {
    const { door, calls } = createDoor();
    for (const kept of ["two\nlines", "a b", "ä", ""]) {
      keepIn(kept);
      await new Promise<void>((locked) => void enterPage({ key: undefined, door, onLocked: () => locked(), askMs: 1 }));
    }
    expect(calls).toEqual([]);
  });

  it("that has none says so, and is let in by a tab that comes later, with a key of its own", async () => {
    const { door, keys, calls } = createDoor();
    keepIn(null);
    const locked = Promise.withResolvers<boolean>();
    const waiting = enterPage({ key: "wrong", door, onLocked: locked.resolve, askMs: 1 });
    expect(await locked.promise).toBe(true);
    keys.add("launch");
    const opened = await enterPage({ key: "launch", door, onLocked: neverLocked });
    const access = await waiting;
    expect(access.headers()).not.toEqual(opened.headers());
    expect(calls.filter((call) => call === "newKey").length).toBeGreaterThan(0);
    expect(await access.isStillGood()).toBe(true);
  });
});

describe("access that is asked about", () => {
  it("is good while the server knows it or can't be reached; then another tab gives it, or it has ended", async () => {
    keepIn("mine");
    const { door, credentials } = createDoor("mine");
    let isAway = false;
    const shaky = {
      ...door,
      isKnown: (credential: string) => (isAway ? Promise.reject(new TypeError("not reached")) : door.isKnown(credential)),
    };
    const access = await enterPage({ key: undefined, door: shaky, onLocked: neverLocked, askMs: 200 });
    expect(await access.isStillGood()).toBe(true);
    credentials.delete("mine");
    isAway = true;
    expect(await access.isStillGood()).toBe(true);
    isAway = false;
    expect(await access.isStillGood()).toBe(false);
    keepIn("other");
    credentials.add("other");
    await enterPage({ key: undefined, door, onLocked: neverLocked });
    await expect.poll(() => access.isStillGood()).toBe(true);
    expect(access.headers()).not.toEqual({ authorization: "Bearer mine" });
  });
});
