// What the other packages of Hawser use of this one. Not for users: it may change in any release.

export * from "./index.ts";
export type { ResponseBody } from "./agent/protocol.ts";
export * from "./contract-errors.ts";
export { isRecord } from "./is-record.ts";
export { defineProtocol, type DirectionDefinition, type MessageDefinition, type ProtocolDefinition } from "./define-protocol.ts";
export { quoteShort, toErrorEvent, toErrorText, tooLarge } from "./errors.ts";
export { protocolLimits } from "./limits.ts";
export { parseRetryAfter, parseRetryAfterMs, retryPauseMs } from "./retry-pause.ts";
export { callData, callItem, callStats, helloData } from "./rpc.ts";
export { cutText, splitText } from "./text/cut-text.ts";
export { nearNames } from "./text/near-names.ts";
export { createNoiseLog } from "./text/noise-log.ts";
export { createProseRevealer, revealProse } from "./text/reveal.ts";
export { createTextGap, createWholeCharacters, joinTexts, type TextGap, type WholeCharacters } from "./text/text-pieces.ts";
export { newTimedId } from "./text/timed-id.ts";
export { defaultConversation, isAgentName, optionMeanings, trustTool } from "./agent/conventions.ts";
export { privateKinds } from "./agent/settings.ts";
