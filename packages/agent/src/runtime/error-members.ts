// How an `error` says what happened: in words for people, and as a code for programs.

import { cutText, errorTable, limits, type HawserError } from "@hawser/wire";

/** The opening words say what kind of failure it is; the rest what happened and what to do. */
export function toErrorMembers({ code, message }: HawserError): { error: string; code: string } {
  const { agentText } = errorTable[code];
  const text = message.toLowerCase().startsWith(agentText.toLowerCase()) ? capitalized(message) : `${agentText}: ${message}`;
  return { error: cutText(text, limits.maxErrorTextChars), code };
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
