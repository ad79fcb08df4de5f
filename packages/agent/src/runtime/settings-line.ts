// What is set, as one line takes it. Tools of MCP servers are as many and have as long names as their servers like: what does not fit is
// left out and counted, so that a change that was made is never answered with an error for the length of its answer.

import type { SettingsData } from "@hawser/protocol";
import { agentLimits } from "../limits.ts";
import { withinOneLine } from "./one-line.ts";

type Server = SettingsData["mcpServers"][number];

export function withinSettingsLine(data: SettingsData): SettingsData {
  const { agentListedBytes: maxBytes } = agentLimits;
  if (bytesOf(data) <= maxBytes) return data;
  const { mcpServers, folderServers } = data;
  const shownFolders = folderServers && folderServers.slice(0, withinOneLine(folderServers.map(withoutTools), maxBytes / 4).length);
  const bare = {
    ...data,
    mcpServers: mcpServers.map(withoutTools),
    ...(shownFolders && { folderServers: shownFolders.map(withoutTools) }),
  };
  let room = Math.max(0, maxBytes - bytesOf(bare));
  let left = mcpServers.length + (shownFolders?.length ?? 0);
  // What one does not need is for those that follow.
  const fit = <Shown extends Server>(server: Shown): Shown => {
    const tools = withinOneLine(server.tools, room / left--);
    const count = server.tools.length - tools.length;
    const fitting = { ...server, tools, ...(count > 0 && { toolsLeftOut: count }) };
    room = Math.max(0, room - bytesOf(fitting) + bytesOf(withoutTools(server)));
    return fitting;
  };
  return { ...data, mcpServers: mcpServers.map(fit), ...(shownFolders && { folderServers: shownFolders.map(fit) }) };
}

const withoutTools = <Shown extends Server>(server: Shown): Shown => ({ ...server, tools: [] });

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));
