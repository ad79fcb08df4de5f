// Mistakes in the arguments of `call`: each is a sentence and exit code 2, and nothing is sent.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApiStub, type ApiStub } from "../../../test/kit/api-stub.ts";
import { hawser, igw, makePlace, runIn, runJson } from "./gateway-stage.ts";

let stub: ApiStub;
beforeAll(async () => {
  stub = await startApiStub();
});
afterAll(() => stub.close());

const mistakes: readonly (readonly [what: string, args: readonly string[], error: RegExp])[] = [
  ["no path", [], /^say what to call: --path/],
  ["as in igw, op together with path", ["--op", "x", "--path", "/x"], /^--op can't be used together with --path or --method$/],
  ["op together with method", ["--op", "x", "--method", "GET"], /^--op can't be used together with --path or --method$/],
  [
    "a parameter without an operation",
    ["--path", "/x", "--param", "a=1"],
    /^--param belongs to --op; with --path use --query, --header, --body$/,
  ],
  ["R87, H30: a mutation without --yes", ["--method", "POST", "--path", "/x"], /^POST changes something; add --yes$/],
  ["as in igw, a retry of POST", ["--method", "POST", "--path", "/x", "--yes", "--retry", "1"], /retry/],
  ["as in igw, a retry of PATCH", ["--method", "PATCH", "--path", "/x", "--yes", "--retry", "1"], /retry/],
  ["an unknown option", ["--bogus"], /^unknown option '--bogus'/],
  ["an operation without --op", ["listTags"], /^too many words: name an operation with --op <id>, or a path with --path <path>$/],
  ["a word too many", ["--path", "/x", "word"], /^too many words/],
  ["a broken duration", ["--path", "/x", "--timeout", "8"], /^invalid --timeout "8"/],
  ["a broken number", ["--path", "/x", "--retry", "1.5"], /^--retry can't be '1.5': Give a whole number/],
  ["a query without =", ["--path", "/x", "--query", "a"], /^invalid --query/],
  ["the token's header", ["--path", "/x", "--header", "X-Ignition-API-Token: mine"], /header/],
  ["an unknown operation", ["--op", "gatewayInf", "--spec-file", "{spec}"], /not found; did you mean gatewayInfo\?/],
  ["a document that is not there", ["--op", "x", "--spec-file", "/no/such.json"], /not found/],
  ["two tokens", ["--path", "/x", "--api-key", "a", "--api-key-stdin"], /^use only one of --api-key and --api-key-stdin/],
  ["stdin twice", ["--path", "/x", "--api-key-stdin", "--body", "-"], /can't both read stdin/],
  ["a body twice", ["--path", "/x", "--body", "a", "--form", "a=b"], /^use only one of --body and --form/],
  ["a body that is not there", ["--path", "/x", "--body", "@/no/such"], /^can't read the body \/no\/such: there is no such file$/],
  ["--stream with --json", ["--path", "/x", "--stream"], /^--stream is not supported with --json/],
  ["--parallel without --batch", ["--path", "/x", "--parallel", "2"], /^--parallel requires --batch/],
  [
    "a folder that is not there",
    ["--path", "/x", "--out", "/no/such/file"],
    /^can't write --out \/no\/such\/file: there is no such folder$/,
  ],
  ["an unknown profile", ["--path", "/x", "--profile", "nope"], /^profile "nope" not found/],
];

// The machine that runs the tests may be busy.
const patient = ["--timeout", "60s"];

describe.concurrent("mistakes", () => {
  it.each(mistakes)("%s exits 2, with --json {ok:false, code:2, error} on stdout, and sends nothing", async (_what, args, error) => {
    const place = makePlace(stub);
    const spec = join(place.folder, "spec.json");
    const paths = { "/g": { get: { operationId: "gatewayInfo", responses: {} } } };
    writeFileSync(spec, JSON.stringify({ openapi: "3.0.0", info: { title: "t", version: "1" }, paths }));
    const before = stub.requests.filter(({ target }) => target === "/mistake").length;
    const filled = args.map((word) => word.replace("{spec}", spec).replace("/x", "/mistake"));
    const { code, value } = await runJson(place, ["call", ...filled], { input: "token" });
    expect(Object.keys(value).slice(0, 3)).toEqual(["ok", "code", "error"]);
    expect([code, value.ok, value.code]).toEqual([2, false, 2]);
    expect(value.error).toMatch(error);
    expect(stub.requests.filter(({ target }) => target === "/mistake")).toHaveLength(before);
  });

  it("an address where nothing listens is named, and what to do fits one that a flag gave", async () => {
    const { code, stderr } = await runIn(makePlace(), ["call", "--path", "/x", "--gateway-url", "http://127.0.0.1:1"]);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /127\.0\.0\.1:1: connection refused .*; check the address, wherever it was given; what is saved shows: .*hawser config show\n$/,
    );
  });

  it("without an address or a known profile, what to do is said on stderr", async () => {
    const { code, stdout, stderr } = await runIn(makePlace(), ["call", "--path", "/x"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^hawser: no gateway address\. Give --gateway-url, set IGNITION_GATEWAY_URL/);
  });

  it.each([
    [["--path", "/x", "--timeout", "5"], 'invalid --timeout "5"; a duration has a unit and is positive, for example 8s, 250ms or 1m30s'],
    [
      ["--op", "writeTag", "--param", "name=A", "--yes", ...patient],
      /^writeTag needs a body: give --param value=…, or --body; writeTag takes /,
    ],
    [
      ["--op", "writeTag", "--param", "name=A", "--param", "valu=1", "--yes", ...patient],
      /^unknown parameter "valu" \(did you mean value\?\); /,
    ],
    [
      ["--op", "writeTag", "--param", "value=1", "--yes", ...patient],
      /^missing required parameter name \(path\); .*; give it as --param name=…$/,
    ],
    [["--op", "writeTag", "--param", "name=A", "--param", "value=1", "--dry-run", ...patient], "PUT changes something; add --yes"],
    [["--op", "nosuch", ...patient], 'operationId "nosuch" not found; npx hawser api search <words> finds operations'],
    [
      ["--op", "gatewayInf", ...patient],
      'operationId "gatewayInf" not found; did you mean gatewayInfo? npx hawser api search <words> finds operations',
    ],
  ])("says what to do: %j", async (args, sentence) => {
    const { code, stderr } = await runIn(makePlace(), ["call", "--demo", ...args]);
    expect(code).toBe(2);
    const said = stderr.replace(/^hawser: (.*)\n$/s, "$1");
    if (typeof sentence === "string") expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
    const { value } = await runJson(makePlace(), ["call", "--demo", ...args]);
    expect(said.endsWith(value.details?.hint ?? value.error ?? "nothing")).toBe(true);
  });

  it("names commands as they are typed here, under either name", async () => {
    const end = (name: string): string => `or run: npx ${name} config set --gateway-url <url>\n`;
    expect((await runIn(makePlace(), ["call", "--path", "/x"])).stderr.endsWith(end("hawser"))).toBe(true);
    expect((await runIn(makePlace(), ["call", "--path", "/x"], { program: igw })).stderr.endsWith(end("igw"))).toBe(true);
    const { value } = await runJson(makePlace(), ["api", "list", "--profile", "nope"]);
    expect(value.error).toContain("Add it: npx hawser config profile add nope");
  });

  it.each([
    ["--gateway-url <url>", "http://127.0.0.1:1"],
    ["--api-key <token>", "a"],
    ["--api-key-file <file>", "a"],
    ["--api-key-stdin"],
    ["--profile <name>", "plant"],
    ["--spec-file <file|url>", "a.json"],
  ])("--demo together with %s is refused, since only one can count", async (option, ...value) => {
    const flag = option.split(" ")[0] ?? "";
    // The commands share the check; one flag shows that both have it.
    for (const command of [["call", "--path", "/x"], ...(flag === "--gateway-url" ? [["rpc"]] : [])]) {
      const { code, stderr } = await runIn(makePlace(), [...command, "--demo", flag, ...value]);
      expect([code, stderr.split("\n")[0]]).toEqual([2, `hawser: --demo can't be used together with ${flag}`]);
    }
  });

  it("with --raw stdout holds the value or nothing: a mistake is a sentence on stderr", async () => {
    const call = ["call", "--demo", "--op", "listTags", "--json", "--raw", ...patient];
    const missing = await runIn(makePlace(), [...call, "--select", "response.statu"]);
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
    expect(missing.stderr).toMatch(/^hawser: invalid --select path "response.statu": key "statu" not found/);
    const none = await runIn(makePlace(), call);
    expect([none.code, none.stdout, none.stderr]).toEqual([2, "", "hawser: required: exactly one --select when using --raw\n"]);
  });

  it("names the profile that was meant", async () => {
    const place = makePlace();
    await runIn(place, ["config", "profile", "add", "plant", "--gateway-url", "http://127.0.0.1:1"]);
    const { code, stderr } = await runIn(place, ["call", "--path", "/x", "--profile", "plnt"]);
    expect([code, stderr]).toEqual([2, 'hawser: profile "plnt" not found (there are: plant). Did you mean plant?\n']);
  });

  it("--compact, --raw and --select need --json", async () => {
    for (const flag of [["--compact"], ["--raw"], ["--select", "ok"]]) {
      const { code, stderr } = await runIn(makePlace(stub), ["call", "--path", "/mistake", ...flag]);
      expect([code, stderr]).toEqual([2, `hawser: required: --json when using ${flag[0]}\n`]);
    }
  });
});

it("--demo is not mixed with an API document in the current folder", async () => {
  const { folder: cwd, env } = makePlace();
  writeFileSync(join(cwd, "openapi.json"), JSON.stringify({ openapi: "3.1.0", info: { title: "another", version: "1" }, paths: {} }));
  const words = [hawser, "call", "--demo", "--op", "gatewayInfo", "--timeout", "60s"];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd, env: { ...process.env, ...env } });
  expect(JSON.parse(stdout)).toMatchObject({ name: "demo" });
});
