// For a program that has no folders to choose from: every conversation works in the same place.

import { HawserError } from "@hawser/protocol";
import type { Workspace, Workspaces } from "./agent-parts.ts";

export function createOneWorkspace(parts: Pick<Workspace, "policy"> & Partial<Workspace>): Workspaces {
  const home: Workspace = {
    folders: [],
    tools: () => [],
    ownTools: () => home.tools(),
    whenReady: () => Promise.resolve(),
    refresh: () => Promise.resolve(),
    servers: () => [],
    setting: () => ({}),
    readAttachments: () => Promise.reject(new HawserError("usage", "this agent takes no attachments")),
    instructions: "",
    ...parts,
  };
  return {
    home,
    use: (_, action) => action(home),
    choose: () => Promise.reject(new HawserError("usage", "this agent works in the folders that it was started with")),
    lastOf: () => home,
    release: () => Promise.resolve(),
  };
}
