// Sessions for a long time: [count] of them one after another in one process (SOK-12), each with a
// connection and a message, while descriptors, files, listeners and memory must stay as they were; then
// 200 processes that are killed while they start sessions (SOK-10), after which one start cleans up.
//   node packages/wire/test/soak/sessions.soak.ts [count, 10000 unless given]

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countDescriptors } from "../../../../test/kit/processes.ts";
import { readCount, runAndReport, soakSessions } from "../../../../test/kit/session-soak.ts";
import { killWhileStarting, makeAllOld } from "../socket/killed-sessions.ts";
import { askOnce, namesIn, startSession } from "../socket/sockets.ts";

const count = readCount(10_000);
const kills = 200;
const directory = fs.mkdtempSync(join(tmpdir(), "hawser-soak-"));
const countHeld = () => ({ descriptors: countDescriptors(), entries: fs.readdirSync(directory).length });

async function runSession(number: number): Promise<void> {
  const { listener } = await startSession(namesIn(directory), { schema: `{"number":${number}}` });
  const answer = await askOnce(listener.path, `message ${number}`);
  await listener.close();
  if (answer !== `message ${number}`) throw new Error(`session ${number} answered ${JSON.stringify(answer)}`);
}

async function soakKilledSessions(showProgress: (text: string) => void): Promise<string[]> {
  const faults: string[] = [];
  for (let killed = 0; killed < kills; killed += 4) {
    await Promise.all([0, 1, 2, 3].map((offset) => killWhileStarting(directory, (killed + offset) / 10)));
    showProgress(`SOK-10 process ${killed + 4} of ${kills}`);
    if ((killed + 4) % 40 === 0) faults.push(...(await cleanUp()));
  }
  return faults;
}

async function cleanUp(): Promise<string[]> {
  const leftovers = makeAllOld(directory);
  const bystander = join(directory, "bystander");
  fs.writeFileSync(bystander, "");
  await runSession(0);
  const left = fs.readdirSync(directory);
  fs.rmSync(bystander, { force: true });
  if (leftovers.length === 0) return ["SOK-10 the killed processes left nothing to remove"];
  return left.join() === "bystander" ? [] : [`SOK-10 of ${leftovers.length} leftovers these stayed: ${left.join(" ")}`];
}

await runAndReport({
  soak: async (showProgress) => [
    ...(await soakSessions({ count, warmUp: 1_500, maxGrowthBytes: 10 * 1024 * 1024, countHeld, runSession, showProgress })),
    ...(await soakKilledSessions(showProgress)),
  ],
  cleanUp: () => fs.rmSync(directory, { recursive: true, force: true }),
  name: "sessions soak",
  done: `${count} sessions and ${kills} killed processes`,
});
