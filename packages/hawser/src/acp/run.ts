// `hawser acp`: our runtime on stdin and stdout as editors want it. The folder of a session comes from the editor, so the one that
// the process happens to be started in is not handed over: without --root it is an empty one.

import { serveAcp } from "@hawser/acp/internal";
import { guardProcessFromTools } from "@hawser/agent/internal";
import { wireLimits } from "@hawser/wire";
import { createPrivateFolder } from "@hawser/wire/internal/node";
import { ndjson, runStdio } from "@hawser/wire/node";
import { composeAgent } from "../agent/compose-agent.ts";
import { toAgentFlags, type AgentFlags } from "../agent/flags.ts";
import { keepMemorySmall } from "../agent/small-memory.ts";
import { printTo } from "../command-line/output.ts";
import { launcherPath, readVersion } from "../command-line/launcher.ts";
import { editors } from "./editors.ts";

export interface AcpFlags extends AgentFlags {
  readonly print?: keyof typeof editors;
}

export async function runAcp(flags: AcpFlags): Promise<void> {
  if (flags.print !== undefined) {
    const args = [launcherPath, "acp", ...toAgentFlags(flags)];
    return printTo(process.stdout, editors[flags.print]({ command: process.execPath, args }));
  }
  if (flags.debugProtocol) process.env["HAWSER_DEBUG"] = [process.env["HAWSER_DEBUG"], "protocol"].filter(Boolean).join(",");
  const folder = createPrivateFolder("acp");
  const agent = await composeAgent(
    { ...flags, root: flags.root ?? [folder.path], attachments: folder.path },
    { env: process.env, cwd: process.cwd() },
  );
  guardProcessFromTools();
  return runStdio({
    codec: ndjson,
    eofGraceMs: wireLimits.eofGraceMs - wireLimits.cancelGraceMs,
    async serve(transport, lifecycle) {
      keepMemorySmall();
      agent.warmUp();
      await serveAcp(transport, {
        parts: agent.parts,
        lifecycle,
        version: readVersion(),
        homeFolder: process.cwd(),
        attachments: folder.path,
      });
      await agent.close();
      folder.remove();
    },
  });
}
