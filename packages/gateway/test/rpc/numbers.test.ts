// Numbers that JavaScript can't hold are passed on to the API as they were written, through every door.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runBatch } from "../../src/batch/run-batch.ts";
import type { CallCore } from "../../src/call.ts";
import { gatewayTools } from "../../src/tools/gateway-tools.ts";
import { coreOf, stubOf } from "../core-fixture.ts";
import { serve } from "./rpc-client.ts";

const big = "9007199254740993";
const query = { in: "query", schema: {} };
const document = {
  openapi: "3.1.0",
  info: { title: "numbers", version: "1" },
  paths: {
    "/things/{id}": {
      get: {
        operationId: "look",
        parameters: [
          { name: "id", in: "path", required: true, schema: {} },
          { name: "list", ...query },
          { name: "deep", ...query, style: "deepObject" },
        ],
      },
      put: {
        operationId: "change",
        parameters: [{ name: "id", in: "path", required: true, schema: {} }],
        requestBody: { content: { "application/json": { schema: {} } } },
      },
    },
  },
};

function specFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-numbers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "api.json"), JSON.stringify(document));
  return join(folder, "api.json");
}

const items: readonly (readonly [item: string, sent: string])[] = [
  [
    `{"method":"PUT","path":"/x","yes":true,"body":{"id":${big},"list":[1e400,0,-0,-0.0,1.10]}}`,
    `/x {"id":${big},"list":[1e400,0,-0,-0.0,1.1]}`,
  ],
  [`{"method":"PUT","path":"/x","yes":true,"body":${big}}`, `/x ${big}`],
  [`{"method":"PUT","path":"/x","yes":true,"contentType":"text/plain","body":${big}}`, `/x ${big}`],
  [
    `{"method":"PUT","path":"/x","yes":true,"contentType":"application/x-www-form-urlencoded","body":{"a":${big},"b":[1e400]}}`,
    `/x a=${big}&b=1e400`,
  ],
  [
    `{"op":"look","params":{"id":${big},"list":[${big},-0],"deep":{"a":{"b":1e400}}}}`,
    `/things/${big}?list=${big}&list=-0&deep%5Ba%5D%5Bb%5D=1e400 `,
  ],
  [`{"op":"change","yes":true,"params":{"id":1,"body":{"id":${big}}}}`, `/things/1 {"id":${big}}`],
];

const doors: Readonly<Record<string, (core: CallCore, item: string) => Promise<unknown>>> = {
  async rpc(core, item) {
    const { client } = serve(core);
    await client.sendText(`{"id":${big},"op":"call","args":${item}}`);
    await client.count(1);
    expect(client.texts[0]).toContain(`"id":${big}`);
  },
  "batch of lines": (core, item) => runBatch(bytesOf(item), core, { write: () => {} }),
  "batch in an array": (core, item) => runBatch(bytesOf(`[${item}]`), core, { write: () => {} }),
};

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

describe.each(Object.keys(doors))("G5 a number that JavaScript can't hold, through %s", (door) => {
  it("reaches the API as it was written: in bodies, forms, paths and queries", async () => {
    const stub = await stubOf();
    const core = coreOf(stub.url, { specFile: specFile() });
    for (const [item, sent] of items) {
      await doors[door]?.(core, item);
      const { target, body } = stub.requests.at(-1)!;
      expect(`${target} ${body.toString("utf8")}`).toBe(sent);
    }
    expect(stub.requests).toHaveLength(items.length);
  });

  it("is told apart from an object where only an object will do", async () => {
    const stub = await stubOf();
    const core = coreOf(stub.url, { specFile: specFile() });
    await doors[door]?.(core, `{"method":"PUT","path":"/x","yes":true,"contentType":"multipart/form-data","body":${big}}`);
    await doors[door]?.(core, `{"path":"/x","retry":${big}}`);
    expect(stub.requests).toHaveLength(0);
    await doors[door]?.(core, `{"method":"PUT","path":"/x","yes":true,"contentType":"multipart/form-data","body":{"a":${big}}}`);
    expect(stub.requests.at(-1)!.body.toString("utf8")).toContain(`name="a"\r\n\r\n${big}\r\n`);
  });
});

it("G5 the result of an operation as a tool has the number in its text, and no structured copy with another one", async () => {
  const stub = await stubOf((_, response) => void response.setHeader("content-type", "application/json").end(`{"id":${big}}`));
  const tools = await gatewayTools({ gatewayUrl: stub.url, specFile: specFile() });
  const context = { signal: new AbortController().signal, progress() {}, log() {}, client: undefined };
  const result = (await tools.find(({ name }) => name === "look")!.run({ id: 1 } as never, context)) as object;
  expect(JSON.stringify(result)).toContain(big);
  expect(result).not.toHaveProperty("structuredContent");
});
