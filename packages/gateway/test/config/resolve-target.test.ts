// Which address and which token a call uses, and what is refused.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GatewayOptions } from "../../src/call.ts";
import { resolveTarget } from "../../src/config/resolve-target.ts";
import { freshHome } from "../core-fixture.ts";

const file = {
  gatewayURL: "http://file",
  token: "file-token",
  profiles: { p: { gatewayURL: "http://profile", token: "profile-token" }, bare: { gatewayURL: "http://bare" } },
};
const variables = { IGNITION_GATEWAY_URL: "http://env", IGNITION_API_TOKEN: "env-token" };

async function resolved(config: unknown, options: GatewayOptions = {}, env: Record<string, string> = {}) {
  const home = freshHome();
  mkdirSync(join(home, ".config", "igw"), { recursive: true });
  writeFileSync(join(home, ".config", "igw", "config.json"), JSON.stringify(config));
  const { baseUrl, token, profile, auth } = await resolveTarget({ ...options, cwd: home, env: { HOME: home, ...env } });
  return { url: baseUrl.href, token, profile, auth };
}

describe("precedence", () => {
  it.each([
    ["the file", { config: file }, { url: "http://file/", token: "file-token" }],
    ["a profile", { config: file, options: { profile: "p" } }, { url: "http://profile/", token: "profile-token" }],
    ["the active profile", { config: { ...file, activeProfile: "p" } }, { url: "http://profile/", token: "profile-token" }],
    [
      "the environment before a named profile",
      { config: file, options: { profile: "p" }, env: variables },
      { url: "http://env/", token: "env-token" },
    ],
    [
      "flags before all",
      { config: file, options: { profile: "p", gatewayUrl: "http://flag", apiKey: "flag-token" }, env: variables },
      { url: "http://flag/", token: "flag-token" },
    ],
    [
      "blank values count as none",
      { config: file, options: { gatewayUrl: " ", apiKey: "" }, env: { IGNITION_API_TOKEN: " " } },
      { url: "http://file/", token: "file-token" },
    ],
    [
      "a profile without a token takes none from the file",
      { config: file, options: { profile: "bare" } },
      { url: "http://bare/", token: undefined },
    ],
  ] as [string, { config: unknown; options?: GatewayOptions; env?: Record<string, string> }, object][])(
    "%s",
    async (_name, given, expected) => {
      expect(await resolved(given.config, given.options, given.env)).toMatchObject(expected);
    },
  );

  it("a profile that is not there is an error, also with everything else given", async () => {
    await expect(resolved(file, { profile: "q", gatewayUrl: "http://flag", apiKey: "x" })).rejects.toThrow(
      'profile "q" not found (there are: p, bare)',
    );
    await expect(resolved({ ...file, activeProfile: "gone" })).rejects.toThrow('profile "gone" not found');
  });
});

describe("addresses", () => {
  it.each([
    ["http://a:8088/", "http://a:8088/"],
    [" https://a/base// ", "https://a/base"],
    ["HTTP://A/b", "http://a/b"],
  ])("%s is taken", async (gatewayUrl, url) => expect((await resolved({}, { gatewayUrl })).url).toBe(url));

  it.each([
    "ftp://a",
    "file:///x",
    "a:8088",
    "//a",
    "http://user@a",
    "http://u:secret@a",
    "http://a?secret",
    "http://a#secret",
    "http://a/?",
    "http://",
  ])("%s is refused without being shown", async (gatewayUrl) => {
    const error = (await resolved({}, { gatewayUrl }).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: "usage", facts: { kind: "config" } });
    expect(error.message).not.toContain("secret");
  });
});

describe("tokens", () => {
  it("from a file are trimmed; relative paths are of the current folder", async () => {
    const home = freshHome();
    writeFileSync(join(home, "token"), "\n  from-file \r\n");
    expect(await resolveTarget({ gatewayUrl: "http://a", apiKeyFile: "token", cwd: home, env: { HOME: home } })).toMatchObject({
      token: "from-file",
    });
  });

  it.each([
    ["missing", undefined, "can't be read (ENOENT)"],
    ["empty", " \n", "is empty"],
    ["too large", "x".repeat(8_195), "is longer than a token, which has at most 8192 bytes"],
    ["of two lines", "secret\nsecret", "control character"],
  ])("a file that is %s is refused without its content", async (_name, content, message) => {
    const home = freshHome();
    if (content !== undefined) writeFileSync(join(home, "token"), content);
    const error = (await resolveTarget({ gatewayUrl: "http://a", apiKeyFile: "token", cwd: home, env: { HOME: home } }).catch(
      (thrown: unknown) => thrown,
    )) as Error;
    expect(error.message).toContain(message);
    expect(error.message).not.toContain("secret");
  });

  it("given twice are refused", async () => {
    await expect(resolved({}, { gatewayUrl: "http://a", apiKey: "a", apiKeyFile: "b" })).rejects.toThrow("only one of");
  });
});

describe("how the token travels", () => {
  it.each([
    [{}, { kind: "header", header: "X-Ignition-API-Token", prefix: "" }],
    [
      { authHeader: "Authorization", authPrefix: "Bearer " },
      { kind: "header", header: "Authorization", prefix: "Bearer " },
    ],
    // A word is followed by a blank, whether or not it was typed; a sign stands right before the token.
    [
      { authHeader: "Authorization", authPrefix: "Bearer" },
      { kind: "header", header: "Authorization", prefix: "Bearer " },
    ],
    [
      { authHeader: "X-Key", authPrefix: "key=" },
      { kind: "header", header: "X-Key", prefix: "key=" },
    ],
    [{ authScheme: "mine" }, { kind: "scheme", name: "mine" }],
    [
      { authScheme: "mine", activeProfile: "p", profiles: { p: { authHeader: "X-Own" } } },
      { kind: "header", header: "X-Own", prefix: "" },
    ],
    [
      { authScheme: "mine", activeProfile: "p", profiles: { p: {} } },
      { kind: "scheme", name: "mine" },
    ],
  ])("%j", async (config, auth) => expect((await resolved(config, { gatewayUrl: "http://a" })).auth).toEqual(auth));

  it.each([
    { authHeader: "Host" },
    { authHeader: "a b" },
    { authHeader: "X\r\nY" },
    { authPrefix: "a\r\nb" },
    { authHeader: "X", authScheme: "y" },
  ])("%j is refused", async (config) => expect(resolved(config, { gatewayUrl: "http://a" })).rejects.toMatchObject({ code: "usage" }));
});
