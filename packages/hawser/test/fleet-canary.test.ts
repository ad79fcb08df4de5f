// What is said on the bus, all of it, while tools run that use an API token: the token stays with the machine that has it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createFleetCalls, findServices, offerTools, watchTools } from "@hawser/fleet/internal";
import { gatewayTools } from "@hawser/gateway";
import { answer, startApiStub } from "../../../test/kit/api-stub.ts";
import { makeFolder, openFleet, openServer, skipWithoutServer } from "../../../test/kit/nats-server.ts";

const token = "canary-4f1d9c-of-the-api";

const document = {
  openapi: "3.1.0",
  info: { title: "Plant", version: "1" },
  paths: {
    "/ok": { get: { operationId: "readOk", responses: {} } },
    "/refused": { get: { operationId: "readRefused", responses: {} } },
    "/cut": { get: { operationId: "readCut", responses: {} } },
  },
};

beforeEach(skipWithoutServer);

it("no API token of a tool is on any subject, also when the API repeats it in its errors", async ({ onTestFinished }) => {
  const api = await startApiStub(({ target, headers }, response) => {
    if (target === "/ok") return answer(response, 200, { ok: true });
    if (target === "/cut") return void response.socket?.destroy();
    answer(response, 403, { error: "not with this one", seen: headers });
  });
  onTestFinished(() => api.close());
  const folder = makeFolder("canary");
  const specFile = join(folder, "openapi.json");
  writeFileSync(specFile, JSON.stringify(document));
  const server = await openServer();
  const [here, there, ear] = [await openFleet(server), await openFleet(server), await openFleet(server)];
  const heard: string[] = [];
  ear.connection.subscribe(">", {
    callback: (_, message) => void heard.push(`${message.subject} ${JSON.stringify([...(message.headers ?? [])])} ${message.string()}`),
  });
  await ear.connection.flush();

  const env = { XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
  const tools = await gatewayTools({ gatewayUrl: api.url, apiKey: token, specFile, env, cwd: folder });
  const offered = await offerTools(there, { service: "plant", tools, version: "1.0.0", machine: "quay" });
  const live = await watchTools(here, "plant");
  const { call, close } = createFleetCalls(here, "plant", live);
  const signal = new AbortController().signal;
  for (const name of ["readOk", "readRefused", "readCut"])
    await call({ params: { name, arguments: {} }, signal, client: { name: "test" }, onProgress: () => {}, onLog: () => {} });
  await findServices(here);
  await offered.stop();
  close();
  await Promise.all([here, ear].map(({ connection }) => connection.flush()));

  // The token was really used, and the ear really hears.
  expect(api.requests.length).toBeGreaterThanOrEqual(3);
  for (const { headers } of api.requests) expect(JSON.stringify(headers)).toContain(token);
  for (const word of ["readOk", "not with this one", "$SRV.STATS", ".announce", ".list.", "Hawser-Client"])
    expect(heard.some((line) => line.includes(word))).toBe(true);
  expect(heard.filter((line) => line.includes(token))).toEqual([]);
});
