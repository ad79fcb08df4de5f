// `hawser fleet up --servers 3` through the real program: a cluster that goes on without one server, and ends with the command.

import { readFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { addStream, openFleet, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import { findProcesses, makeFolder, runHawser, start, type Running } from "./run-hawser.ts";

beforeEach(skipWithoutServer);

function startUp(mark: string): Running {
  const PATH = `${dirname(serverProgram)}${delimiter}${process.env["PATH"]}`;
  return start(["fleet", "up", "--servers", "3", "--port", "0"], { XDG_DATA_HOME: makeFolder("data"), PATH, HAWSER_TEST_MARK: mark });
}

it("three servers are a cluster whose streams have three copies, one may be lost, and doctor says what is promised", async () => {
  const up = startUp("one-of-three");
  const address = (await up.printed("\n")).trim();
  expect(address.split(",")).toHaveLength(3);
  const fleet = await openFleet({ address });
  await addStream(fleet, { name: "HAWSER_JOURNAL", subjects: ["hawser.journal.*"], num_replicas: 3 });
  const { stdout } = await runHawser(["doctor", "--fleet", address, "--json", "--fleet-monitor", "http://127.0.0.1:1"]);
  expect(JSON.parse(stdout)).toMatchObject({
    promises: expect.arrayContaining([
      { what: expect.stringContaining("loss of one server"), holds: "yes", why: "every stream has three copies" },
    ]),
  });
  const lost = findProcesses("one-of-three")?.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("server-2"));
  if (lost === undefined) throw new Error("the second server is not there");
  process.kill(lost, "SIGKILL");
  const publish = async (): Promise<boolean> => {
    const answer = await fleet.connection.request("hawser.journal.a", "after the loss", { timeout: 5_000 }).catch(() => undefined);
    return answer !== undefined && "seq" in answer.json<object>();
  };
  await until(publish);
  up.process.kill("SIGTERM");
  const { code, stderr } = await up.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining("has ended; the others go on")]);
  expect(findProcesses("one-of-three")).toEqual([]);
});

it("the servers end also when the command is killed", async () => {
  const up = startUp("killed-three");
  await up.printed("\n");
  up.process.kill("SIGKILL");
  await up.ended;
  await until(() => findProcesses("killed-three")?.length === 0);
  expect(findProcesses("killed-three")).toEqual([]);
});
