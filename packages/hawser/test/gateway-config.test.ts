// `config` through the real program: the file that igw hosts know, masked tokens, profiles.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startDemoApi } from "@hawser/gateway";
import { startApiStub } from "../../../test/kit/api-stub.ts";
import { hawserCommand, makeStage, runOnTerminal } from "./agent/agent-stage.ts";
import { makePlace, runIn, runJson, type Place } from "./gateway-stage.ts";

type Shown = Record<string, unknown>;
const token = "canary-token-123";
const fileOf = ({ folder }: Place): string => join(folder, "igw", "config.json");
const contentOf = (place: Place): Shown => JSON.parse(readFileSync(fileOf(place), "utf8")) as Shown;

describe.concurrent("config", () => {
  it("set keeps address and token, for the owner only; show masks the token", async () => {
    const place = makePlace();
    const set = await runJson<Shown>(place, ["config", "set", "--gateway-url", "http://127.0.0.1:8088", "--api-key-stdin"], {
      input: `${token}\n`,
    });
    expect(set.value).toEqual({
      ok: true,
      configPath: fileOf(place),
      gatewayURL: "http://127.0.0.1:8088",
      profile: "",
      tokenUpdated: true,
    });
    expect(contentOf(place)).toEqual({ gatewayURL: "http://127.0.0.1:8088", token });
    expect(statSync(fileOf(place)).mode & 0o777).toBe(0o600);
    const shown = await runIn(place, ["config", "show"]);
    expect(shown.stdout).toBe("gateway_url\thttp://127.0.0.1:8088\ntoken\tcana...23\n");
    const json = await runJson<Shown>(place, ["config", "show"]);
    expect(json.value).toMatchObject({ tokenMasked: "cana...23", activeProfile: "", profiles: {}, profileCount: 0 });
    expect(json.stdout).not.toContain(token);
  });

  it.runIf(process.platform === "linux")("SEC-01 a token that is typed on a terminal is saved and never shown", async () => {
    const stage = makeStage();
    const command = hawserCommand(["config", "set", "--gateway-url", "http://127.0.0.1:8088", "--api-key-stdin"]);
    // A terminal of script(1) has no size by itself, and a prompt would show almost nothing of what is typed.
    const set = runOnTerminal(["sh", "-c", 'stty cols 80 rows 24 && exec "$@"', "sh", ...command], stage);
    await set.printed("API token");
    set.process.stdin.write(`${token}\r`);
    const { code, stdout, stderr } = await set.ended;
    expect([code, `${stdout}${stderr}`.includes(token)]).toEqual([0, false]);
    expect(readFileSync(join(stage.home, "config", "igw", "config.json"), "utf8")).toContain(token);
  });

  it("the first profile added becomes active; use, list and remove", async () => {
    const place = makePlace();
    const secret = join(place.folder, "token.txt");
    writeFileSync(secret, token);
    const add = await runIn(place, ["config", "profile", "add", "one", "--gateway-url", "http://one:1", "--api-key-file", secret]);
    expect(add.stdout).toBe("saved profile: one\nactive profile: one\n");
    const second = await runJson<Shown>(place, ["config", "profile", "add", "two", "--gateway-url", "http://two:2"]);
    expect(second.value).toEqual({ ok: true, name: "two", active: false, gatewayURL: "http://two:2", tokenUpdated: false });
    expect((await runJson<Shown>(place, ["config", "profile", "use", "two"])).value).toEqual({ ok: true, active: "two" });
    expect((await runIn(place, ["config", "profile", "list"])).stdout).toBe(
      "ACTIVE\tNAME\tGATEWAY_URL\tTOKEN\n\tone\thttp://one:1\tcana...23\n*\ttwo\thttp://two:2\t\n",
    );
    expect((await runJson<Shown>(place, ["config", "profile", "list"])).value).toEqual({
      activeProfile: "two",
      count: 2,
      profiles: [
        { name: "one", active: false, gatewayURL: "http://one:1", tokenMasked: "cana...23" },
        { name: "two", active: true, gatewayURL: "http://two:2" },
      ],
    });
    const removed = await runIn(place, ["config", "profile", "remove", "two"]);
    expect(removed).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/no profile is active now .*hawser config profile use one\n/) as string,
    });
    for (const words of [["api", "list"], ["call", "--path", "/x"], ["api", "sync"], ["doctor"]]) {
      const { code, stderr } = await runIn(place, words);
      expect([code, stderr], words.join(" ")).toEqual([
        2,
        expect.stringMatching(/no profile is active.*hawser config profile use one; or give/),
      ]);
    }
    expect(contentOf(place)).toEqual({ profiles: { one: { gatewayURL: "http://one:1", token } } });
    expect((await runIn(place, ["config", "profile", "add", "one", "--gateway-url", "http://uno:1", "--use"])).stdout).toContain(
      "active profile: one",
    );
    expect(contentOf(place)).toEqual({ activeProfile: "one", profiles: { one: { gatewayURL: "http://uno:1", token } } });
    // What is set beside an active profile has no effect, and that is said.
    const beside = await runIn(place, ["config", "set", "--gateway-url", "http://other:1"]);
    expect([beside.code, beside.stderr]).toEqual([0, expect.stringContaining('calls use the active profile "one"')]);
    expect((await runIn(place, ["config", "set", "--profile", "one", "--gateway-url", "http://uno:2"])).stderr).toBe("");
  });

  it("a file that igw wrote is read as it is; flags go before the environment, that before the file", async () => {
    const demo = await startDemoApi({ token: "demo-token" });
    const place = makePlace();
    mkdirSync(join(place.folder, "igw"));
    const profiles = { dev: { gatewayURL: demo.url, token: "demo-token" } };
    writeFileSync(fileOf(place), JSON.stringify({ gatewayURL: "http://127.0.0.1:1", token: "x", activeProfile: "dev", profiles }));
    const call = ["call", "--path", "/data/api/v1/gateway-info"];
    expect((await runIn(place, call)).code).toBe(0);
    const elsewhere = { ...place, env: { ...place.env, IGNITION_GATEWAY_URL: "http://127.0.0.1:1" } };
    expect((await runIn(elsewhere, call)).code).toBe(7);
    expect((await runIn(elsewhere, [...call, "--gateway-url", demo.url])).code).toBe(0);
    await demo.stop();
  });

  it("--auth-prefix Bearer sends its space", async () => {
    const stub = await startApiStub();
    const place = makePlace();
    const auth = ["--auth-header", "Authorization", "--auth-prefix", "Bearer"];
    await runIn(place, ["config", "profile", "add", "one", "--gateway-url", stub.url, "--api-key", token, ...auth]);
    expect((await runIn(place, ["call", "--path", "/a"])).code).toBe(0);
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
    await stub.close();
  });

  it("a profile has its API document, as an absolute path or an address; show and doctor tell it", async () => {
    const demo = await startDemoApi({ token: "demo-token" });
    const place = makePlace();
    const spec = `${demo.url}/openapi.json`;
    const target = ["--gateway-url", demo.url, "--api-key", "demo-token"];
    await runIn(place, ["config", "profile", "add", "one", ...target, "--spec-file", spec]);
    expect(contentOf(place)).toMatchObject({ profiles: { one: { specFile: spec } } });
    expect((await runIn(place, ["config", "show"])).stdout).toContain(`profile\tone\t${demo.url}\tdemo...en\t${spec}\n`);
    expect((await runIn(place, ["call", "--op", "slow", "--param", "ms=1"])).stdout).toBe('{"waitedMs":1}');
    expect((await runIn(place, ["doctor"])).stdout).toContain(`ok\tapi_document\t8 operations in ${spec}\n`);
    await runIn(place, ["config", "set", "--profile", "one", "--spec-file", "spec.json"]);
    expect(contentOf(place)).toMatchObject({ profiles: { one: { specFile: join(process.cwd(), "spec.json") } } });
    const missing = await runJson<{ checks: Shown[] }>(place, ["doctor"]);
    expect([missing.code, missing.value.checks]).toMatchObject([
      2,
      [
        { ok: true },
        { ok: true },
        { name: "api_document", ok: false, message: expect.stringContaining("spec.json not found") as string },
        {},
        {},
      ],
    ]);
    expect((await runIn(place, ["doctor", "--spec-file", spec])).code).toBe(0);
    await runIn(place, ["config", "set", "--profile", "one", "--spec-file", ""]);
    expect(contentOf(place)).toEqual({ activeProfile: "one", profiles: { one: { gatewayURL: demo.url, token: "demo-token" } } });
    await demo.stop();
  });

  it.each([
    [["config", "set"], "say what to set, for example --gateway-url"],
    [["config", "set", "--gateway-url", "ftp://x"], "the gateway's address must begin with http"],
    [["config", "set", "--spec-file", "http://"], "the address of the API document is not a URL"],
    [["config", "set", "--profile", "nope", "--api-key", "x"], 'profile "nope" not found'],
    [["config", "set", "--api-key-file", "/no/such"], "can't read the token's file /no/such"],
    [["config", "profile", "use", "nope"], 'profile "nope" not found'],
    [["config", "profile", "remove", "nope"], 'profile "nope" not found'],
    [["config", "profile", "add"], "give <name>"],
    [["config", "show", "more"], "too many words"],
  ])("mistakes exit 2, with --json {ok:false, code:2, error}, and change nothing: %j", async (args, error) => {
    const place = makePlace();
    const { code, value } = await runJson<Shown>(place, args);
    expect([code, value]).toEqual([2, { ok: false, code: 2, error: expect.stringContaining(error) as string }]);
    expect(existsSync(fileOf(place))).toBe(false);
  });
});
