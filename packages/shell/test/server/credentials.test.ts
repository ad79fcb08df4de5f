// Keys and credentials: what a key is exchanged for, what its second use takes away, and how many there may be.

import { once } from "node:events";
import { shellLimits } from "../../src/limits.ts";
import { describe, expect, it } from "vitest";
import { withdrawnCode } from "../../src/link/page-frames.ts";
import { createCredentials } from "../../src/server/credentials.ts";
import { connectTab, openServer } from "./stage.ts";

function open() {
  const clock = { now: 0 };
  let secondUses = 0;
  const credentials = createCredentials({ onSecondUse: () => secondUses++, now: () => clock.now });
  /** A page that has opened a new address. */
  function enter() {
    const { key } = credentials.newAddressKey();
    return { key, credential: credentials.exchange(key)! };
  }
  const grantOf = (credential: string) => credentials.find(credential)!;
  return { ...credentials, clock, enter, grantOf, secondUses: () => secondUses };
}

describe("a key", () => {
  it("G16 is exchanged once for a credential that is another secret, and is told to have been used", async () => {
    const { newAddressKey, exchange, find } = open();
    const { key, used } = newAddressKey();
    expect(find(key)).toBeUndefined();
    const credential = exchange(key);
    await used;
    expect(credential).toMatch(/^[\w-]{43}$/);
    expect(credential).not.toBe(key);
    expect(find(credential)).toBeDefined();
    expect([find(key), exchange("wrong"), exchange(""), exchange(credential!)]).toEqual([undefined, undefined, undefined, undefined]);
    expect(find(credential)).toBeDefined();
  });

  it("that comes a second time gives nothing, and takes what stems from its address, of tabs too; others stay", () => {
    const { enter, exchange, find, grantOf, newTabKey, secondUses } = open();
    const [first, other] = [enter(), enter()];
    const second = exchange(newTabKey(grantOf(first.credential)))!;
    const third = exchange(newTabKey(grantOf(second)))!;
    const unused = newTabKey(grantOf(third));
    expect([first.credential, second, third].map((credential) => find(credential) !== undefined)).toEqual([true, true, true]);
    expect(exchange(first.key)).toBeUndefined();
    expect([first.credential, second, third].map(find)).toEqual([undefined, undefined, undefined]);
    expect(exchange(unused)).toBeUndefined();
    expect(find(other.credential)).toBeDefined();
    expect(secondUses()).toBe(1);
    expect(exchange(first.key)).toBeUndefined();
    expect(secondUses()).toBe(1);
  });

  it("may be repeated by the page that got no answer, which names its attempt; any other attempt is a second use", () => {
    const { newAddressKey, exchange, find, secondUses, clock } = open();
    const { key } = newAddressKey();
    const late = newAddressKey().key;
    exchange(late, "attempt");
    const [first, again] = [exchange(key, "attempt")!, exchange(key, "attempt")!];
    expect([find(first) !== undefined, find(again) !== undefined, secondUses()]).toEqual([true, true, 0]);
    expect([exchange(key, "other"), find(first), find(again), secondUses()]).toEqual([undefined, undefined, undefined, 1]);
    clock.now += shellLimits.shellKeyMs + 1;
    expect([exchange(late, "attempt"), secondUses()]).toEqual([undefined, 2]);
  });

  it("of a tab that comes a second time takes the same: it has been seen by two as well", () => {
    const { enter, exchange, find, grantOf, newTabKey, secondUses } = open();
    const { credential } = enter();
    const key = newTabKey(grantOf(credential));
    const second = exchange(key)!;
    expect([exchange(key), find(second), find(credential), secondUses()]).toEqual([undefined, undefined, undefined, 1]);
  });

  it("of a tab is good for a short time, that of an address until it is used", () => {
    const { clock, enter, exchange, grantOf, newAddressKey, newTabKey } = open();
    const grant = grantOf(enter().credential);
    const [soon, late] = [newTabKey(grant), newTabKey(grant)];
    const { key } = newAddressKey();
    clock.now = shellLimits.shellKeyMs;
    expect(exchange(soon)).toBeDefined();
    clock.now++;
    expect(exchange(late)).toBeUndefined();
    clock.now = Number.MAX_SAFE_INTEGER;
    expect(exchange(key)).toBeDefined();
  });
});

describe("there are at most so many", () => {
  it("keys, of addresses and of tabs apart: the oldest goes first", () => {
    const { enter, exchange, grantOf, newAddressKey, newTabKey } = open();
    const grant = grantOf(enter().credential);
    const [first, second] = [newAddressKey().key, newAddressKey().key];
    const tabKeys = Array.from({ length: 2 * shellLimits.shellKeyEntries }, () => newTabKey(grant));
    for (let count = 1; count < shellLimits.shellKeyEntries; count++) newAddressKey();
    expect([exchange(first), typeof exchange(second)]).toEqual([undefined, "string"]);
    expect([exchange(tabKeys[0]!), typeof exchange(tabKeys.at(-1)!)]).toEqual([undefined, "string"]);
  });

  it("credentials: the one that was not used for longest goes first, and never one whose tab is connected", () => {
    const { enter, find, grantOf } = open();
    const [connected, forgotten, used] = [enter().credential, enter().credential, enter().credential];
    const leave = grantOf(connected).join(() => {});
    for (let count = 3; count < shellLimits.shellCredentialEntries; count++) enter();
    find(used);
    enter();
    expect([connected, forgotten, used].map((credential) => find(credential) !== undefined)).toEqual([true, false, true]);
    leave();
    for (let count = 0; count < shellLimits.shellCredentialEntries; count++) enter();
    expect(find(connected)).toBeUndefined();
  });
});

describe("a second use of a key, on the real server", () => {
  it("G16 closes the link of the first page at once, refuses what it sends then, and is said to the terminal", async () => {
    const lines: string[] = [];
    await using stage = await openServer({ send: async (line) => void lines.push(line) });
    const { door, origin } = stage;
    const key = stage.newKey();
    const { credential } = JSON.parse((await stage.exchange(key)).body) as { credential: string };
    const first = await connectTab(door.port, { credential, headers: { origin } });
    const other = await connectTab(door.port, { credential: door.credential, headers: { origin } });
    first.send({ id: "before" });
    await expect.poll(() => lines).toHaveLength(1);
    const closed = once(first.socket, "close");
    const again = await stage.exchange(key);
    expect([again.status, again.body]).toEqual([401, expect.stringContaining("press Enter in the terminal")]);
    // It may still speak until it has heard of its end.
    first.send({ id: "after" });
    expect((await closed)[0]).toBe(withdrawnCode);
    await expect(connectTab(door.port, { credential, headers: { origin } })).rejects.toThrow("401");
    expect(stage.notices).toEqual([expect.stringMatching(/used a second time.*lost their access.*press Enter for a new address/)]);
    other.send({ id: "other" });
    await expect.poll(() => lines).toHaveLength(2);
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(["before", "other"]);
    expect(first.frames.filter((frame) => frame.startsWith("<"))).toEqual([]);
    other.close();
  });
});
