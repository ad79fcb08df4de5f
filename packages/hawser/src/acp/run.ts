// `hawser acp`: our runtime on stdin and stdout as editors want it. The folder of a session comes from the editor, so the one that
// the process happens to be started in is not handed over: the runtime's own is an empty one.

import { resolve } from "node:path";
import { serveAcp } from "@hawser/acp/internal";
import { guardProcessFromTools } from "@hawser/agent/internal";
import { wireLimits } from "@hawser/wire";
import { createPrivateFolder } from "@hawser/wire/internal/node";
import { ndjson, runStdio } from "@hawser/wire/node";
import { composeAgent } from "../agent/compose-agent.ts";
import { toAgentFlags, type AgentFlags } from "../agent/flags.ts";
import { printTo } from "../command-line/output.ts";
import { launcherPath, readVersion } from "../command-line/launcher.ts";
import { editors } from "./editors.ts";

export interface AcpFlags extends AgentFlags {
  readonly print?: keyof typeof editors;
}

export async function runAcp(flags: AcpFlags): Promise<void> {
  if (flags.print !== undefined) {
    const args = [launcherPath, "acp", ...toAgentFlags(withWholePaths(flags))];
    const { where, text } = editors[flags.print]({ command: process.execPath, args });
    process.stderr.write(`${where}:\n`);
    return printTo(process.stdout, text);
  }
  if (flags.debugProtocol) process.env["HAWSER_DEBUG"] = [process.env["HAWSER_DEBUG"], "protocol"].filter(Boolean).join(",");
  const folder = createPrivateFolder("acp");
  const agent = await composeAgent({ ...flags, root: [folder.path], attachments: folder.path }, { env: process.env, cwd: process.cwd() });
  guardProcessFromTools();
  return runStdio({
    codec: ndjson,
    eofGraceMs: wireLimits.eofGraceMs - wireLimits.cancelGraceMs,
    async serve(transport, lifecycle) {
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

/** The editor starts it in another folder. */
function withWholePaths(flags: AgentFlags): AgentFlags {
  const { tools, config, dataDir } = flags;
  return {
    ...flags,
    ...(tools && { tools: tools.map((path) => resolve(path)) }),
    ...(config !== undefined && { config: resolve(config) }),
    ...(dataDir !== undefined && { dataDir: resolve(dataDir) }),
  };
}
