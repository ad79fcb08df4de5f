import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ndjson, startChild } from "@hawser/wire/node";
import { spawnAgent } from "@hawser/agent/host";
const fixture = "/work/main/packages/agent/test/host/fixtures/scripted-agent.mjs";
const n = 200000;
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1000; };
async function host() {
  const agent = await spawnAgent({ command: process.execPath, args: [fixture], onStderr() {} });
  const t = performance.now(), c = cpu(); let k = 0;
  for await (const e of agent.send(`flood ${n} 5`)) if (e.type === "token") k++;
  const r = [k / (performance.now() - t), cpu() - c]; await agent.close(); return r;
}
async function wire() {
  const child = await startChild({ command: process.execPath, args: [fixture], codec: ndjson, onStderr() {} });
  let k = 0, t = 0, c = 0;
  for await (const item of child.transport.incoming) {
    const m = (item as any).value;
    if (m.type === "ready") { t = performance.now(); c = cpu(); await child.transport.send({ id: "1", kind: "user_message", message: `flood ${n} 5` }); }
    else if (m.type === "token") k++; else break;
  }
  const r = [k / (performance.now() - t), cpu() - c]; await child.stop(); return r;
}
async function bare() {
  const c = spawn(process.execPath, [fixture], { stdio: ["pipe", "pipe", "ignore"] });
  let k = 0; let t = 0, cc = 0;
  await new Promise<void>((resolve) => createInterface({ input: c.stdout }).on("line", (l) => { const m = JSON.parse(l); if (m.type === "ready") { t = performance.now(); cc = cpu(); c.stdin.write(JSON.stringify({ id: "1", kind: "user_message", message: `flood ${n} 5` }) + "\n"); } else if (m.type === "token") k++; else if (m.type === "done") resolve(); }));
  const r = [k / (performance.now() - t), cpu() - cc]; c.stdin.end(); return r;
}
for (let i = 0; i < 4; i++) { const b = await bare(), w = await wire(), h = await host(); console.log("k/s bare", b[0].toFixed(0), "wire", w[0].toFixed(0), "host", h[0].toFixed(0), " cpu ms", b[1].toFixed(0), w[1].toFixed(0), h[1].toFixed(0)); }
