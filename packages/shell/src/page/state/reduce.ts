// The reducer: one event after the other makes the state. Pure: no clock, no network, nothing remembered
// besides the state.

import { limits } from "@hawser/wire";
import type { LineEvent, PageEvent } from "./page-event.ts";
import type { LinkState, PageState } from "./page-state.ts";
import { decidePermission, reduceRequest } from "./requests.ts";
import { reduceResponse } from "./responses.ts";
import { openThread } from "./threads.ts";
import { loseAllTurns, loseTurn } from "./turns.ts";
import { addWireEntry, clearWireLog } from "./wire-log.ts";

export function reduce(state: PageState, event: PageEvent): PageState {
  switch (event.type) {
    case "line":
      return reduceLine(state, event);
    case "link":
      return reduceLink(state, event.link);
    case "opened":
      return openThread(state, event.conversationId, event.isNew);
    case "turn_given_up":
      return loseTurn(state, event.id, event.text);
    case "permission_expired":
      return decidePermission(state, event.permissionId, "expired");
    case "model_picked":
      return { ...state, pickedModel: event.model };
    case "notice":
      return {
        ...state,
        notices: [...state.notices.filter(({ key }) => key !== event.notice.key), event.notice].slice(-limits.shellNoticeEntries),
      };
    case "notice_dismissed":
      return { ...state, notices: state.notices.filter(({ key }) => key !== event.key) };
    default:
      // `wire_cleared`
      return { ...state, wire: clearWireLog(state.wire) };
  }
}

function reduceLine(state: PageState, event: LineEvent): PageState {
  const { line, at } = event;
  // The log is asked first for a response, whose request is forgotten when it ends; and last for a request.
  if (line.direction === "received") {
    const logged = addWireEntry(state, event);
    return line.message ? reduceResponse(logged, line.message, at) : logged;
  }
  const changed = line.message ? reduceRequest(state, line.message, at) : state;
  return addWireEntry(changed, event);
}

const runtimeGone = "The agent ended before it had answered.";

function reduceLink(state: PageState, link: LinkState): PageState {
  // A lost connection says nothing about the runtime, which goes on; but answers on their way are gone.
  const known = link.phase === "open" ? state : { ...state, requests: {}, loading: {}, unclaimed: [] };
  const isGone = link.phase === "open" && (link.runtime === "restarting" || link.runtime === "failed");
  const settled = isGone ? loseAllTurns({ ...known, requests: {}, loading: {}, unclaimed: [] }, runtimeGone) : known;
  return { ...settled, link };
}
