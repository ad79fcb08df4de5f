// `hawser acp`: our runtime on stdin and stdout as editors want it. The folder of a session comes from the editor, so the one that
// the process happens to be started in is not handed over: the runtime's own is an empty one.

import { resolve } from "node:path";
import { serveAcp } from "@hawser/acp/internal";
import { createPrivateFolder } from "@hawser/wire/internal/node";
import { toAgentFlags, type AgentFlags } from "../agent/flags.ts";
import { serveRuntime } from "../agent/serve-runtime.ts";
import { printTo } from "../command-line/output.ts";
import { commandName, launcherPath, programName, readVersion } from "../command-line/launcher.ts";
import { editors } from "./editors.ts";

export interface AcpFlags extends AgentFlags {
  readonly print?: keyof typeof editors;
}

export async function runAcp(flags: AcpFlags): Promise<void> {
  if (flags.print !== undefined) {
    const args = [launcherPath, "acp", ...toAgentFlags(withWholePaths(flags))];
    const { where, text } = editors[flags.print]({ command: process.execPath, args });
    printTo(process.stderr, `${where}:\n`);
    return printTo(process.stdout, text);
  }
  if (process.stdin.isTTY) printTo(process.stderr, toPersonHint(commandName()));
  const folder = createPrivateFolder("acp");
  return serveRuntime({ ...flags, root: [folder.path], attachments: folder.path }, async (transport, parts, lifecycle) => {
    const homeFolder = process.cwd();
    await serveAcp(transport, { parts, lifecycle, version: readVersion(), homeFolder, attachments: folder.path });
    folder.remove();
  });
}

const toPersonHint = (name: string): string =>
  `${programName()}: an editor talks to this command, in lines of JSON. ${name} acp --print zed prints what the editor needs; ${name} chat is for people\n`;

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
