// A host that is killed while its calls run: the rpc process ends with it, and what was not sent by then
// never is.

import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../../../test/kit/processes.ts";
import { answer } from "../../../../test/kit/api-stub.ts";
import { stubOf } from "../core-fixture.ts";
import { until } from "../../../../test/kit/until.ts";
import { line, rpcProgram } from "./rpc-process.ts";

const workers = 64;

// Starts the rpc process as a host does, with pipes, and hands on its own input; it says which process it is.
const hostProgram = `
  const { spawn } = require("node:child_process");
  const rpc = spawn(process.execPath, process.argv.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  rpc.stdout.resume();
  process.stdin.pipe(rpc.stdin, { end: false });
  process.stdout.write(rpc.pid + "\\n");
`;

async function startHost(gatewayUrl: string) {
  const rpcArguments = ["--workers", String(workers), "--queue-size", "1000", "--gateway-url", gatewayUrl];
  const host = spawn(process.execPath, ["-e", hostProgram, "--", "--conditions=hawser-source", rpcProgram, ...rpcArguments]);
  onTestFinished(() => void host.kill("SIGKILL"));
  const rpcId = Number(await new Promise<Buffer>((resolve) => host.stdout.once("data", resolve)));
  onTestFinished(() => {
    if (isRunning(rpcId)) process.kill(rpcId, "SIGKILL");
  });
  return { host, rpcId };
}

it("G8 RPC-05 a host killed with 64 changes running and 400 waiting: the rpc process is gone soon, and sends no other", async () => {
  const held: (() => void)[] = [];
  const stub = await stubOf((_request, response) => new Promise((resolve) => held.push(() => resolve(answer(response, 200, {})))));
  const { host, rpcId } = await startHost(stub.url);
  let input = "";
  for (let id = 0; id < workers + 400; id++) input += line({ id, op: "call", args: { method: "POST", path: "/", yes: true } });
  host.stdin.write(input);
  await until(() => stub.requests.length === workers);
  const exited = new Promise((resolve) => host.once("exit", resolve));
  host.kill("SIGKILL");
  const killedAt = performance.now();
  await exited;
  await until(() => !isRunning(rpcId));
  // The calls themselves would have taken minutes. A machine that has much else to do may need more than the promised five seconds.
  expect(performance.now() - killedAt).toBeLessThan(30_000);
  for (const release of held) release();
  expect(stub.requests).toHaveLength(workers);
});
