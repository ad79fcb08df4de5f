// `--print-request` through the real program: the request as it would be sent, and nothing sent. And `--select` into the
// body of an answer.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApiStub, answer } from "../../../test/kit/api-stub.ts";
import { makePlace, runIn, runJson, type Place } from "./gateway-stage.ts";

const token = "canary-token-123";
const document = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  paths: {
    "/tags/{name}": {
      put: {
        operationId: "writeTag",
        parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }],
        requestBody: { content: { "application/json": { schema: { type: "object", properties: { value: { type: "integer" } } } } } },
        responses: {},
      },
    },
  },
});

const write = ["call", "--op", "writeTag", "--param", "name=a/b", "--param", "value=5", "--print-request"];

async function stage(): Promise<{ stub: Awaited<ReturnType<typeof startApiStub>>; place: Place }> {
  const stub = await startApiStub((_request, response) => answer(response, 200, document));
  return { stub, place: makePlace({ url: stub.url, token }) };
}

describe.concurrent("--print-request", () => {
  it("prints method, address, headers without the token, and body; nothing is sent, and no --yes is needed", async () => {
    const { stub, place } = await stage();
    const body = JSON.stringify({ key: token });
    const call = ["call", "--method", "POST", "--path", "/x", "--header", "X-A: 1", "--body", body, "--dry-run", "--print-request"];
    const text = await runIn(place, call);
    expect([text.code, text.stderr]).toEqual([0, ""]);
    expect(text.stdout).toBe(
      `POST ${stub.url}/x?dryRun=true\nX-A: 1\ncontent-type: application/json\nX-Ignition-API-Token: [redacted]\n\n{"key":"[redacted]"}\n`,
    );
    const json = await runJson<object>(place, call);
    expect(json.value).toEqual({
      method: "POST",
      url: `${stub.url}/x?dryRun=true`,
      headers: { "x-a": ["1"], "content-type": ["application/json"], "x-ignition-api-token": ["[redacted]"] },
      body: '{"key":"[redacted]"}',
    });
    expect(stub.requests).toEqual([]);
    await stub.close();
  });

  it("does not show a token either that is too short to be looked for in texts", async () => {
    const place = makePlace({ url: "http://127.0.0.1:1", token: "abc" });
    const { stdout } = await runIn(place, ["call", "--path", "/abc", "--print-request"]);
    expect(stdout).toBe("GET http://127.0.0.1:1/abc\nX-Ignition-API-Token: [redacted]\n");
  });

  it("an operation needs a document that is here; the API is not even asked for that", async () => {
    const { stub, place } = await stage();
    const missing = await runIn(place, write);
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
    expect(missing.stderr).toContain(
      "the API document is not on this machine, and nothing is sent for it here. Fetch it first: npx hawser api sync",
    );
    expect(stub.requests).toEqual([]);
    const file = join(place.folder, "spec.json");
    writeFileSync(file, document);
    const expected = `PUT ${stub.url}/tags/a%2Fb\ncontent-type: application/json\nX-Ignition-API-Token: [redacted]\n\n{"value":5}\n`;
    expect((await runIn(place, [...write, "--spec-file", file])).stdout).toBe(expected);
    // What an earlier command kept is as good.
    await runIn(place, ["api", "sync"]);
    const asked = stub.requests.length;
    expect((await runIn(place, write)).stdout).toBe(expected);
    expect(stub.requests.length).toBe(asked);
    await stub.close();
  });

  it("with the demo, and with what a call would refuse", async () => {
    const place = makePlace();
    expect((await runIn(place, [...write, "--demo"])).stdout).toMatch(/^PUT http:.*\/tags\/a%2Fb\n[^]*\n\n{"value":5}\n$/);
    const wrong = ["call", "--demo", "--op", "listLogs", "--param", "level=info", "--print-request"];
    expect(await runIn(place, wrong)).toMatchObject({ code: 2, stdout: "" });
    expect((await runIn(place, wrong)).stderr).toContain(
      'parameter level (query) must be one of DEBUG, INFO, WARN, ERROR; given: "info"; where the document is wrong, give it as --query',
    );
    const batch = await runIn(place, ["call", "--batch", "-", "--print-request"]);
    expect([batch.code, batch.stderr]).toEqual([2, expect.stringContaining("--print-request") as string]);
  });
});

describe.concurrent("--select", () => {
  it("reaches into a JSON body, and long numbers stay as they were written", async () => {
    const api = await startApiStub((request, response) =>
      answer(response, 200, request.target === "/plain" ? "plain" : '{"items":[{"id":12345678901234567890,"name":"a"}]}'),
    );
    const place = makePlace(api);
    const select = (path: string, ...more: string[]) => runIn(place, ["call", "--path", "/x", "--json", "--select", path, ...more]);
    expect((await select("response.body.items.0.id", "--raw")).stdout).toBe("12345678901234567890\n");
    expect((await select("response.body.items.0", "--compact")).stdout).toBe(
      '{"response.body.items.0":{"id":12345678901234567890,"name":"a"}}\n',
    );
    const missing = await select("response.body.items.1.id");
    expect([missing.code, JSON.parse(missing.stdout)]).toMatchObject([
      2,
      { error: expect.stringContaining('index "1" is not in an array of 1') as string },
    ]);
    const plain = await runJson(place, ["call", "--path", "/plain", "--select", "response.body.items"]);
    await api.close();
    expect(plain.value).toMatchObject({
      error: 'invalid --select path "response.body.items": the response\'s body is not JSON, or was cut off',
    });
  });
});
