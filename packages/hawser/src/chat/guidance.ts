// `/skills` and `/trust`: what files tell the model here, and the question whether those of the folder may.

import type { LeftOutEntry } from "@hawser/protocol";
import { fitLine, paint } from "../command-line/output.ts";
import type { Session } from "./conversation-loop.ts";

const maxPathChars = 200;
const maxNoteChars = 400;

/** The instructions, the skills, and what is left out and why. */
export async function showSkills({ agent, conversationId }: Session): Promise<string> {
  const { instructions = [], skills = [], leftOut = [] } = await agent.status(conversationId);
  if (instructions.length + skills.length + leftOut.length === 0)
    return paint("dim", "There are no instructions (AGENTS.md) and no skills here: docs/agent/skills.md says where they go.\n");
  const files = instructions.map(({ path, bytes }) => `  ${fitLine(path, maxPathChars)}  ${paint("dim", `${bytes} bytes`)}\n`);
  const rows = skills.map(
    ({ name, description, path }) =>
      `  ${paint("bold", name)}  ${fitLine(description, maxNoteChars)}  ${paint("dim", fitLine(path, maxPathChars))}\n`,
  );
  const isAskable = leftOut.some(({ reason }) => reason.includes("not trusted"));
  const hint = isAskable ? [paint("dim", "/trust shows what the folder brings along, and asks whether it may count.\n")] : [];
  return [...section("Instructions", files), ...section("Skills", rows), ...section("Left out", leftOut.map(toRow)), ...hint].join("");
}

const section = (title: string, rows: readonly string[]): string[] => (rows.length === 0 ? [] : [paint("bold", `${title}\n`), ...rows]);

const toRow = ({ path, reason }: LeftOutEntry): string =>
  `  ${fitLine(path, maxPathChars)}  ${paint("dim", fitLine(reason, maxNoteChars))}\n`;

/** Asks about the folders of this chat, as a host does for a conversation's. */
export async function trustFolders(session: Session): Promise<string> {
  const { agent, conversationId, folders, onPermission } = session;
  await agent.setWorkspace(conversationId, { folders }, { onPermission });
  return showSkills(session);
}
