// Keys that are kept: in a keychain that works, fails or has lost them, and in a file that others must not read.

import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createKeyStore, type Keychain } from "../../src/keys/key-store.ts";

const root = mkdtempSync(join(tmpdir(), "hawser-keys-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newPath = (): string => join(mkdtempSync(join(root, "home-")), "hawser", "keys.json");

/** As the system's: it holds what it was given, until it fails. */
function createKeychain(): Keychain & { readonly held: Map<string, string>; problem: string | undefined } {
  const held = new Map<string, string>();
  const keychain = {
    held,
    problem: undefined as string | undefined,
    async get(account: string) {
      check();
      return held.get(account);
    },
    async set(account: string, secret: string) {
      check();
      held.set(account, secret);
    },
    async remove(account: string) {
      check();
      held.delete(account);
    },
  };
  function check(): void {
    if (keychain.problem !== undefined) throw new Error(keychain.problem);
  }
  return keychain;
}

describe("a key that is kept", () => {
  it("goes into the keychain, is there after a restart, and leaves no trace when it is removed", async () => {
    const [path, keychain] = [newPath(), createKeychain()];
    const first = createKeyStore(path, keychain);
    expect([first.ready, first.placeOf("anthropic")]).toEqual([undefined, "none"]);
    await first.set("anthropic", " key-1 ");
    expect([first.get("anthropic"), first.placeOf("anthropic"), keychain.held.get("anthropic")]).toEqual(["key-1", "keychain", "key-1"]);
    expect(readFileSync(path, "utf8")).not.toContain("key-1");
    const second = createKeyStore(path, keychain);
    await second.ready;
    expect(second.get("anthropic")).toBe("key-1");
    await second.set("anthropic", "");
    expect([second.get("anthropic"), keychain.held.size, JSON.parse(readFileSync(path, "utf8"))]).toEqual([undefined, 0, {}]);
  });

  it("goes into a file for its user alone where the keychain fails, and moves when it works again", async () => {
    const [path, keychain] = [newPath(), createKeychain()];
    keychain.problem = "there is none";
    const store = createKeyStore(path, keychain);
    await store.set("openai", "key-2");
    expect([store.placeOf("openai"), statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777]).toEqual(["file", 0o600, 0o700]);
    expect(createKeyStore(path, keychain).get("openai")).toBe("key-2");
    keychain.problem = undefined;
    await store.set("openai", "key-3");
    expect([store.placeOf("openai"), readFileSync(path, "utf8").includes("key-")]).toEqual(["keychain", false]);
  });

  it("that the keychain does not give is a problem with a sentence, and stays to be had later", async () => {
    const [path, keychain] = [newPath(), createKeychain()];
    await createKeyStore(path, keychain).set("openai", "key-4");
    keychain.problem = "it is locked";
    const locked = createKeyStore(path, keychain);
    await locked.ready;
    expect([locked.get("openai"), locked.problemOf("openai")]).toEqual([undefined, "the keychain can't be used: it is locked"]);
    await expect(locked.set("openai", "")).rejects.toThrow("it is locked");
    expect(locked.placeOf("openai")).toBe("keychain");
    keychain.problem = undefined;
    keychain.held.clear();
    const lost = createKeyStore(path, keychain);
    await lost.ready;
    expect(lost.problemOf("openai")).toBe("the keychain has it no more; set it again");
  });

  it("that is set or removed while the keychain is still asked for the old one is not undone by its answer", async () => {
    for (const answer of [() => "key-old", () => undefined, () => Promise.reject(new Error("it is locked"))]) {
      const [path, keychain] = [newPath(), createKeychain()];
      const before = createKeyStore(path, keychain);
      for (const vendor of ["openai", "anthropic", "other"]) await before.set(vendor, "key-old");
      const asked = Promise.withResolvers<string | undefined>();
      const store = createKeyStore(path, { ...keychain, get: () => asked.promise });
      await store.set("openai", "key-new");
      await store.set("anthropic", "");
      asked.resolve(answer());
      await store.ready;
      expect([store.get("openai"), store.problemOf("openai")]).toEqual(["key-new", undefined]);
      expect([store.get("anthropic"), store.problemOf("anthropic")]).toEqual([undefined, undefined]);
      // What was not touched is as the keychain says.
      expect(store.get("other") ?? store.problemOf("other")).toMatch(/^key-old$|has it no more|is locked/);
    }
  });

  it("in a file that other users can read, or that is not ours, is not used, and the file stays as it is", async () => {
    const [path, keychain] = [newPath(), createKeychain()];
    keychain.problem = "there is none";
    await createKeyStore(path, keychain).set("openai", "key-5");
    chmodSync(path, 0o644);
    const open = createKeyStore(path, keychain);
    expect(open.get("openai")).toBeUndefined();
    await expect(open.set("openai", "key-6")).rejects.toThrow("chmod 600");
    chmodSync(path, 0o600);
    for (const text of ["{", "[]", '{"openai": "key-7"}', '{"openai": {"keychain": "yes"}}']) {
      writeFileSync(path, text);
      const store = createKeyStore(path, keychain);
      expect(store.get("openai")).toBeUndefined();
      await expect(store.set("openai", "key-8")).rejects.toThrow(/^(?!.*key-[78])/);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("does not stay in what a killed process has left beside the file; other files stay", async () => {
    const path = newPath();
    const store = createKeyStore(path, { ...createKeychain(), set: () => Promise.reject(new Error("none")) });
    await store.set("openai", "key-9");
    for (const name of [`.keys.json-${randomUUID()}.tmp`, ".keys.json-of-the-user.tmp"]) writeFileSync(join(dirname(path), name), "key-9");
    await store.set("openai", "");
    expect(readdirSync(dirname(path)).toSorted()).toEqual([".keys.json-of-the-user.tmp", "keys.json"]);
  });

  it("goes to the address that it was set for and to no other, from the keychain and from the file, also after a restart", async () => {
    for (const problem of [undefined, "there is none"]) {
      const [path, keychain] = [newPath(), createKeychain()];
      keychain.problem = problem;
      const first = createKeyStore(path, keychain);
      await first.set("harbour", "key-1", "http://a/v1");
      const second = createKeyStore(path, keychain);
      await second.ready;
      for (const store of [first, second]) {
        expect([store.get("harbour", "http://a/v1"), store.problemOf("harbour", "http://a/v1")]).toEqual(["key-1", undefined]);
        expect([store.get("harbour", "http://b/v1"), store.get("harbour")]).toEqual([undefined, undefined]);
        expect(store.problemOf("harbour", "http://b/v1")).toBe("it was set for another address; set it again");
      }
      await second.leave("harbour", "http://b/v1");
      expect(second.get("harbour", "http://a/v1")).toBe("key-1");
      await second.set("harbour", "key-2", "http://b/v1");
      expect([second.get("harbour", "http://a/v1"), second.get("harbour", "http://b/v1")]).toEqual([undefined, "key-2"]);
      // What the first one knows of the file by now is another address; the key that it has is still for the old one.
      await first.set("openai", "key-3");
      expect([first.get("harbour", "http://b/v1"), first.get("harbour", "http://a/v1")]).toEqual([undefined, "key-1"]);
      await second.leave("harbour", "http://b/v1");
      expect([second.placeOf("harbour"), [...keychain.held.values()]]).toEqual(["none", problem === undefined ? ["key-3"] : []]);
    }
  });

  it("in the keychain is not exchanged for that of another address by a process that is killed before it could say so in the file", async () => {
    const [path, keychain] = [newPath(), createKeychain()];
    await createKeyStore(path, keychain).set("harbour", "key-1", "http://a/v1");
    const before = readFileSync(path, "utf8");
    await createKeyStore(path, keychain).set("harbour", "key-2", "http://b/v1");
    writeFileSync(path, before);
    const store = createKeyStore(path, keychain);
    await store.ready;
    expect(store.get("harbour", "http://a/v1")).not.toBe("key-2");
    expect(store.get("harbour", "http://b/v1")).toBeUndefined();
  });

  it("that another process has set for a new address stays where the old one is left, from the keychain and from the file", async () => {
    for (const problem of [undefined, "there is none"]) {
      const [path, keychain] = [newPath(), createKeychain()];
      keychain.problem = problem;
      const first = createKeyStore(path, keychain);
      await first.set("plant", "key-old", "https://old.example");
      const second = createKeyStore(path, keychain);
      await second.ready;
      await second.leave("plant", "https://old.example");
      await second.set("plant", "key-new", "https://new.example");
      await first.leave("plant", "https://old.example");
      expect(first.get("plant", "https://old.example")).toBe(undefined);
      const third = createKeyStore(path, keychain);
      await third.ready;
      expect(third.get("plant", "https://new.example")).toBe("key-new");
      // What the other one has kept is found, too, where it is exchanged or removed.
      await first.set("plant", "key-newest", "https://newest.example");
      await second.set("plant", "");
      expect([[...keychain.held], JSON.parse(readFileSync(path, "utf8"))]).toEqual([[], {}]);
    }
  });

  it("that was kept without an address counts for vendors that have but one, and else asks to be set again", async () => {
    const [path, keychain] = [newPath(), createKeychain()];
    mkdirSync(dirname(path));
    writeFileSync(path, JSON.stringify({ harbour: { key: "key-1" }, quay: { keychain: true }, openai: { key: "key-2" } }), { mode: 0o600 });
    keychain.held.set("quay", "key-3");
    const store = createKeyStore(path, keychain);
    await store.ready;
    expect([store.get("harbour", "http://a/v1"), store.get("quay", "http://a/v1"), store.get("openai")]).toEqual([
      undefined,
      undefined,
      "key-2",
    ]);
    for (const vendor of ["harbour", "quay"])
      expect(store.problemOf(vendor, "http://a/v1")).toBe("it was kept without an address; set it again");
    await store.set("quay", "key-4", "http://a/v1");
    expect([store.get("quay", "http://a/v1"), [...keychain.held.values()]]).toEqual(["key-4", ["key-4"]]);
    await store.leave("harbour", "http://a/v1");
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")) as object)).toEqual(["quay", "openai"]);
  });

  it("must be one, and there are not more than a few", async () => {
    const path = newPath();
    const store = createKeyStore(path, createKeychain());
    for (const wrong of ["two words", "line\nfeed", "schlüssel", "x".repeat(5_000), "a\0b"])
      await expect(store.set("openai", wrong)).rejects.toThrow("this can't be a key");
    expect(existsSync(path)).toBe(false);
    for (let count = 0; count < 64; count++) await store.set(`server-${count}`, "key");
    await expect(store.set("one-more", "key")).rejects.toThrow("more than 64 keys");
  });
});
