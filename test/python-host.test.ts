// The host in Python that the documentation shows, under a load that its example does not have.

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { findSnippets } from "./scripts/examples.ts";
import { repository } from "./scripts/temp-tree.ts";

const document = readFileSync(join(repository, "docs", "gateway", "host.md"), "utf8");
// The class alone, without what the page does with it.
const [hostClass = ""] = (findSnippets(document, "python")[0]?.text ?? "").split(/^gateway = /m);

// More text than a full queue and what is read ahead take together: a host that writes all of it is stuck.
const load = `
import os, time
gateway = Gateway("--demo", "--timeout", "10m", workers=1, queue_size=4)
item = {"method": "GET", "path": "/data/api/v1/slow?ms=60000", "headers": ["X-Padding: " + "x" * 10_000]}
begun = []
def call():
    begun.append(True)
    gateway.call(**item)
for number in range(199):
    threading.Thread(target=call, daemon=True).start()
while len(begun) < 199 or len(gateway.waiting) < 5:
    time.sleep(0.01)
print(gateway.send("hello").result()["ok"], flush=True)
last = max(gateway.waiting)
print(gateway.send("cancel", {"id": last}).result()["data"]["count"], flush=True)
os._exit(0)
`;

it("H29 G11 the documented Python host with 199 slow calls and one worker: hello is answered, and cancel arrives", async ({
  skip,
  onTestFinished,
}) => {
  if (spawnSync("python3", ["--version"]).status !== 0) skip("python3 is not installed");
  const PATH = [join(repository, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const child = spawn("python3", ["-"], { cwd: repository, env: { ...process.env, PATH }, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(hostClass + load);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  await new Promise((resolve) => child.once("close", resolve));
  expect(stdout).toBe("True\n1\n");
});
