// The program under the name of igw, its wrappers, and the commands that tell about it.

import { existsSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startDemoApi } from "@hawser/gateway";
import { igw, makePlace, runIn, runJson, startIn } from "./gateway-stage.ts";

const asIgw = { program: igw };

describe.concurrent("igw", () => {
  it("is the same program under its name: bare, it prints its commands and exits 2", async () => {
    const { code, stdout, stderr } = await runIn(makePlace(), [], asIgw);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Usage: npx igw .*\n\nCalls HTTP APIs /);
    for (const name of ["call", "rpc", "api", "config", "doctor", "gateway", "scan", "exit-codes", "schema", "completion", "version"])
      expect(stderr).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(stderr).not.toMatch(/^ {2}(?:expose|tour|logs) /m);
  });

  it("version prints name and version", async () => {
    expect((await runIn(makePlace(), ["version"], asIgw)).stdout).toMatch(/^igw version \d+\.\d+\.\d+\n$/);
    expect((await runIn(makePlace(), ["version"])).stdout).toMatch(/^hawser version \d+\.\d+\.\d+\n$/);
  });

  it("as in igw: gateway info and scan projects --yes are wrappers of call", async () => {
    const demo = await startDemoApi({ token: "demo-token" });
    const place = makePlace(demo);
    expect((await runJson(place, ["gateway", "info", "--timeout", "60s"], asIgw)).value).toMatchObject({
      ok: true,
      request: { method: "GET", url: `${demo.url}/data/api/v1/gateway-info` },
    });
    expect((await runJson(place, ["scan", "projects", "--yes", "--dry-run", "--timeout", "60s"], asIgw)).value).toMatchObject({
      request: { method: "POST", url: `${demo.url}/data/api/v1/scan/projects?dryRun=true` },
      response: { status: 200, body: '{"dryRun":true,"projects":2,"scans":0}' },
    });
    const unconfirmed = await runIn(place, ["scan", "projects"], asIgw);
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
      2,
      expect.stringMatching(/^igw: POST changes something; add --yes$/m) as string,
    ]);
    await demo.stop();
  });

  it.each([
    [["logs", "list", "--query", "limit=5"], "call --path /data/api/v1/logs"],
    [["logs", "logger", "set", "--name", "x"], "call --method POST --path /data/api/v1/logs/loggers/<name> --query level=<level> --yes"],
    [["backup", "restore"], "call --method POST --path /data/api/v1/backup --body @<file> --content-type application/octet-stream --yes"],
    [["diagnostics", "bundle", "status"], "call --path /data/api/v1/diagnostics/bundle/status"],
    [["restart", "gateway", "--yes"], "call --method POST --path /data/api/v1/restart-tasks/restart --query confirm=true --yes"],
    [["scan", "config", "--yes"], "call --method POST --path /data/api/v1/scan/config --yes"],
    [["api", "refresh"], "api sync"],
  ])("as in igw: %j exits 2 and prints the line that does it", async (args, line) => {
    const { code, stdout, stderr } = await runIn(makePlace(), args, asIgw);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trim().endsWith(`this does it: npx igw ${line}`)).toBe(true);
    const json = await runJson(makePlace(), args, asIgw);
    expect([json.code, json.value]).toEqual([2, { ok: false, code: 2, error: expect.stringContaining(line) as string }]);
  });

  it("a group of igw without more prints all its lines, an unknown command none", async () => {
    expect((await runIn(makePlace(), ["wait"], asIgw)).stderr.match(/npx igw call/g)).toHaveLength(3);
    expect((await runIn(makePlace(), ["nonsense"], asIgw)).code).toBe(2);
  });
});

const commands = [
  "call",
  "rpc",
  "api",
  "api show",
  "config",
  "config profile add",
  "doctor",
  "exit-codes",
  "schema",
  "gateway demo",
  "scan projects",
  "completion",
];

describe.concurrent("help", () => {
  it.each(commands)("igw %s --help explains with examples, within 80 columns, and exits 0", async (command) => {
    const { code, stdout, stderr } = await runIn(makePlace(), [...command.split(" "), "--help"], asIgw);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: npx igw ${command} `));
    expect(stdout).toMatch(/\nExamples:\n {2}\$ .*npx igw/);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe.concurrent("contracts for programs", () => {
  it("exit-codes", async () => {
    expect((await runIn(makePlace(), ["exit-codes"], asIgw)).stdout).toBe(
      "auth\t6\ndenied\t8\ninterrupted\t130\ninvalid\t1\nnetwork\t7\nok\t0\nterminated\t143\nusage\t2\n",
    );
    const { value } = await runJson<object>(makePlace(), ["exit-codes"]);
    expect(value).toEqual({
      ok: true,
      exitCodes: { auth: 6, denied: 8, interrupted: 130, invalid: 1, network: 7, ok: 0, terminated: 143, usage: 2 },
    });
  });

  it("exit-codes --help says of each code what it means, and all that 1 may mean", async () => {
    const { value } = await runJson<{ exitCodes: Record<string, number> }>(makePlace(), ["exit-codes"]);
    const { stdout } = await runIn(makePlace(), ["exit-codes", "--help"]);
    for (const [name, code] of Object.entries(value.exitCodes)) expect(stdout).toMatch(new RegExp(`^ {2}${code} +${name}: `, "m"));
    expect(stdout).toMatch(/api validate, conform and tour .*\n.*a defect, or output that can't be written/);
  });

  it("schema is made of the commands themselves", async () => {
    const { stdout } = await runIn(makePlace(), ["schema", "--compact"], asIgw);
    const schema = JSON.parse(stdout) as { command: { subcommands: { name: string }[] }; globalFlags: string[] };
    expect(schema).toMatchObject({ schemaVersion: 1, command: { name: "igw", path: "igw" }, exitCodes: { usage: 2 } });
    expect(schema.command.subcommands.map(({ name }) => name)).toContain("rpc");
    expect(schema.globalFlags).toEqual(expect.arrayContaining(["--workers", "--queue-size", "--batch"]));
    const profile = await runIn(makePlace(), ["schema", "--command", "config profile", "--select", "command.path", "--raw"], asIgw);
    expect(profile.stdout).toBe("igw config profile\n");
    expect((await runIn(makePlace(), ["schema", "nope"])).code).toBe(2);
  });
});

describe.concurrent("gateway demo", () => {
  it("serves until it is told to stop, and prints lines to try", async () => {
    const running = startIn(makePlace(), ["gateway", "demo"]);
    const printed = await running.printed("rpc\n");
    const [, url = "", token = ""] = /IGNITION_GATEWAY_URL=(\S+) IGNITION_API_TOKEN=(\S+)/.exec(printed) ?? [];
    const call = await runIn(makePlace({ url, token }), ["call", "--op", "slow", "--param", "ms=1"]);
    expect(call.stdout).toBe('{"waitedMs":1}');
    // With all of its lines, what is saved for another API is left out of it.
    const [, configFile = ""] = /HAWSER_GATEWAY_CONFIG=(\S+)/.exec(printed) ?? [];
    const place = makePlace({ url, token });
    const saved = ["--gateway-url", "http://127.0.0.1:1", "--auth-header", "Authorization", "--spec-file", "/no/such.json"];
    await runIn(place, ["config", "profile", "add", "plant", ...saved]);
    const info = ["call", "--op", "gatewayInfo", "--json", "--select", "response.status", "--raw"];
    expect(await runIn(place, info)).toMatchObject({ code: 2 });
    expect((await runIn({ ...place, env: { ...place.env, HAWSER_GATEWAY_CONFIG: configFile } }, info)).stdout).toBe("200\n");
    expect(statSync(configFile).mode & 0o777).toBe(0o600);
    running.process.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(configFile)).toBe(false);
  });
});
