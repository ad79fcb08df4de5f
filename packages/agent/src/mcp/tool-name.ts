// `<server>__<tool>`: what an MCP server's tool is called here. Models take letters, digits, `_` and `-`, and
// at most 64 of them. Where a name has to be changed or cut, a digest of both names keeps it unique.

import { createHash } from "node:crypto";

const maxNameChars = 64;
const digestChars = 10;

export function toToolName(serverName: string, toolName: string): string {
  const name = `${serverName}__${toolName}`;
  // Without `__` inside or `_` at its end, the server's name ends where the first `__` begins.
  const isPlain = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(serverName) && /^[A-Za-z0-9_-]+$/.test(toolName);
  if (isPlain && name.length <= maxNameChars) return name;
  const digest = createHash("sha256")
    .update(JSON.stringify([serverName, toolName]))
    .digest("hex")
    .slice(0, digestChars);
  const readable = `${toPlain(serverName).slice(0, 20)}__${toPlain(toolName)}`.slice(0, maxNameChars - digestChars - 1);
  return `${readable}_${digest}`;
}

const toPlain = (name: string): string => name.slice(0, maxNameChars).replaceAll(/[^A-Za-z0-9-]+/g, "_");
