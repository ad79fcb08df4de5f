// Tells the user about a turn that has ended or asks something while the tab is hidden, where the user has switched that on. The
// browser is asked for leave only by the click that switches it on. What is told is a text, never more than a line of the answer.

import { cutText } from "@hawser/protocol/internal";
import { orUndefined } from "../../or-undefined.ts";
import { openQuestion, type PageState } from "../state/page-state.ts";
import { textOf } from "./actions.ts";
import type { Session } from "./session.ts";

const storageKey = "hawser-notify";
const bodyChars = 160;

export const canNotify = (): boolean => typeof Notification !== "undefined";

export const isNotifying = (): boolean =>
  canNotify() && Notification.permission === "granted" && orUndefined(() => localStorage.getItem(storageKey)) === "on";

/** Returns whether it is on now, or why it can't be. */
export async function switchNotifications(isOn: boolean): Promise<boolean | string> {
  if (isOn && (await Notification.requestPermission()) !== "granted")
    return "This browser does not let the page notify you; allow it in the settings of this site.";
  orUndefined(() => localStorage.setItem(storageKey, isOn ? "on" : "off"));
  return isNotifying();
}

interface News {
  readonly conversationId: string;
  readonly title: string;
  readonly body: string;
}

/** Returns how to stop. */
export function notifyWhenHidden({ store, open }: Pick<Session, "store" | "open">): () => void {
  let before = store.getState();
  return store.subscribe(() => {
    const after = store.getState();
    const news = document.hidden ? newsBetween(before, after) : [];
    before = after;
    if (news.length > 0 && isNotifying()) for (const each of news) show(each, open);
  });
}

export function newsBetween(before: PageState, after: PageState): readonly News[] {
  if (before.turns === after.turns && before.threads === after.threads) return [];
  const known = Object.values(after.turns).filter(({ id }) => before.turns[id]?.state === "running");
  return known.flatMap(({ id, conversationId, state }): News[] => {
    const title = after.threads[conversationId]?.title || "Hawser";
    if (state === "ended") return [{ conversationId, title, body: describeEnd(after, id, conversationId) }];
    const isNew = openQuestion(after, conversationId) && !openQuestion(before, conversationId);
    return isNew ? [{ conversationId, title, body: "The agent asks you before it goes on." }] : [];
  });
}

function describeEnd({ threads }: PageState, id: string, conversationId: string): string {
  const answer = threads[conversationId]?.messages.findLast(({ role, requestId }) => role === "assistant" && requestId === id);
  if (answer?.failure) return `The answer ended early: ${cutText(answer.failure.text, bodyChars)}`;
  const said = answer ? textOf(answer).trim() : "";
  return said === "" ? "The answer is there." : cutText(said, bodyChars);
}

function show({ conversationId, title, body }: News, open: Session["open"]): void {
  // One for each conversation: what is new takes the place of what was.
  const notification = new Notification(title, { body, tag: `hawser-${conversationId}` });
  notification.addEventListener("click", () => {
    focus();
    open(conversationId);
    notification.close();
  });
}
