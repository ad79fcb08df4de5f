// Where a session works, as the runtime has to know it before it answers there. A folder may bring something along that has to be
// asked about, and an editor can be asked only during a prompt: before that a session is placed only where nothing is to be asked.

import type { AgentClient, OnPermission, SendOptions } from "@hawser/agent/host/link";
import { HawserError } from "@hawser/protocol";
import { whenAborted } from "@hawser/wire/internal";
import type { Session } from "./sessions.ts";

/** One after the other: a session that is placed twice would lose the agent that was started for it. */
export function placeSession(client: AgentClient, session: Session, options: SendOptions): Promise<void> {
  const placed = session.placing.then(async () => {
    if (session.isPlaced) return;
    await client.setWorkspace(session.sessionId, session.workspace, options);
    session.isPlaced = true;
  });
  session.placing = placed.catch(() => {});
  return placed;
}

/** Whether it is placed now. A question ends the attempt without an answer, so that the first prompt asks it. */
export async function placeWithoutQuestion(client: AgentClient, session: Session): Promise<boolean> {
  const asked = new AbortController();
  const onPermission: OnPermission = async (_, { signal }) => {
    asked.abort(new HawserError("cancelled", "asked with the first prompt"));
    await whenAborted(signal);
    return "deny" as const;
  };
  // What fails now is said by the prompt, which tries it again.
  await placeSession(client, session, { onPermission, signal: asked.signal }).catch(() => {});
  return session.isPlaced;
}
