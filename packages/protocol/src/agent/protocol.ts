// The agent protocol: a host talks to an agent runtime over its stdin and stdout, one JSON object per line. Three requests and seven
// responses are the contract; everything else is additive, and a host that knows only the contract works unchanged.

import { defineProtocol, type RequestOf, type ResponseOf } from "../define-protocol.ts";
import { agentRequests } from "./requests.ts";
import { AGENT_PROTOCOL_VERSION, agentResponses } from "./responses.ts";

export const agentProtocol = defineProtocol({
  name: "agent",
  version: AGENT_PROTOCOL_VERSION,
  summary: "A desktop app, or any other host, talks to an agent: it sends a message and gets tokens, tool uses, results and an end.",
  conversation: [
    "The host starts `hawser agent` and writes requests to its stdin; responses come on its stdout. stderr is for people.",
    "Each message is one line: JSON in UTF-8 without a line feed inside, ended by a line feed. At most 10,485,760 bytes.",
    "The first line is `ready`. Every other response carries the id of its request; responses of different requests may interleave.",
    "A `user_message` gets any number of `token`, `tool_use`, `tool_result` and additive responses, then exactly one `done` or `error`, and nothing after it. Every other request ends with exactly one `done`, `error` or `status`.",
    "The tokens of a turn, joined, are its text. Where the model goes on after a tool and the text before it did not end its line, one `token` of two line feeds comes first; the history keeps what the model said, without it. A character is never split over two tokens.",
    "Turns of one conversation run one after the other; conversations run side by side. Requests that don't begin a turn never wait for one.",
    "A line that isn't JSON ends nothing, and reading goes on: it is answered by an `error` where an id can still be read from it, and logged on stderr where none can.",
    "When the input ends, accepted turns are finished (up to 10 seconds) and the process exits with 0. On SIGTERM nothing new starts, running turns get 3 seconds, are then cancelled with their one `error`, and the process exits with 0.",
    "A silent turn is followed by a `progress` at least every 15 seconds, except while only a permission is awaited; a host may take 60 seconds without any response of an id as a timeout.",
  ],
  requests: agentRequests,
  responses: agentResponses,
});

/** Requests and responses with all additions; the contract's own types are in `contract.ts`. */
export type AnyAgentRequest = RequestOf<typeof agentProtocol>;
export type AnyAgentResponse = ResponseOf<typeof agentProtocol>;

/** What a turn says, ended by `done`. */
export type TurnEvent = Extract<
  AnyAgentResponse,
  {
    type:
      | "token"
      | "tool_use"
      | "tool_result"
      | "permission_request"
      | "progress"
      | "usage"
      | "reasoning"
      | "plan"
      | "steered"
      | "compaction"
      | "done";
  }
>;

/** A response before it is sent: without the id of its request, its time and its number. */
export type ResponseBody<Response extends AnyAgentResponse = AnyAgentResponse> = Response extends AnyAgentResponse
  ? Omit<Response, "id" | "timestamp" | "seq">
  : never;
