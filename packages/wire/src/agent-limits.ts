// The bounds of the agent runtime; those of its tools and of its host client are in files of their own. Part
// of `limits`.

import { agentHostLimitTable } from "./agent-host-limits.ts";
import { agentToolLimitTable } from "./agent-tool-limits.ts";

export const agentLimitTable = {
  agentQueuedTurns: {
    value: 64,
    reason: "Turns that may wait in one conversation; the next one is refused.",
  },
  agentBusyLanes: {
    value: 64,
    reason: "Conversations that have work at the same time.",
  },
  agentStepCalls: {
    value: 128,
    reason: "Tool calls that a model may make in one step.",
  },
  agentSteps: {
    value: 100,
    reason: "Steps of a model in one turn: a loop ends.",
  },
  agentTurnBytes: {
    value: 16_777_216,
    reason: "Text of one turn.",
  },
  agentTurnMs: {
    value: 1_800_000,
    reason: "The longest turn.",
  },
  agentQueuedBytes: {
    value: 33_554_432,
    reason: "What the messages that wait or are being answered hold together; one that would exceed it is refused.",
  },
  agentLightBytes: {
    value: 262_144,
    reason:
      "A turn that holds no more than this never waits for the memory of others, and a message no longer than this may still begin one.",
  },
  agentHeldBytes: {
    value: 25_165_824,
    reason:
      "What the running turns hold together, each `agentLightBytes` less: twice their conversations and attachments. Beyond it none begins, and one at a time goes on.",
  },
  agentHeartbeatMs: {
    value: 15_000,
    reason: "Silence of a running turn after which its host is told that it lives.",
  },
  agentEntranceMs: {
    value: 2_000,
    reason: "How long a turn that opens its conversation and reads what is attached keeps the next one from beginning.",
  },
  agentReplayBytes: {
    value: 8_388_608,
    reason: "What running turns have sent, kept for a host that comes back; all turns together.",
  },
  agentOpenEntries: {
    value: 32,
    reason: "Conversations that stay open, and locked, while nothing happens in them.",
  },
  agentOpenBytes: {
    value: 8_388_608,
    reason: "What those conversations hold together.",
  },
  agentToolResultChars: {
    value: 1_048_576,
    reason: "JSON of what one tool call returns; more is cut, with a note.",
  },
  agentToolMediaChars: {
    value: 4_194_304,
    reason: "Images and other media in what one tool call returns, as base64; one that does not fit is only described.",
  },
  agentToolInputBytes: {
    value: 2_097_152,
    reason: "JSON of the arguments of one tool call: with what is around it, it is one line.",
  },
  agentStepInputChars: {
    value: 4_194_304,
    reason: "Arguments of all tool calls of one step together.",
  },
  agentProgressEntries: {
    value: 16,
    reason: "Reports of one running tool that wait for a host; of those beyond it only the latest is sent.",
  },
  agentToolMs: {
    value: 600_000,
    reason: "The longest run of one tool.",
  },
  agentParallelCalls: {
    value: 8,
    reason: "Tool calls of one step that run at the same time, when all of them only read.",
  },
  agentTokenChars: {
    value: 65_536,
    reason: "Text of one `token`; a model's longer piece becomes several.",
  },
  agentEarlierEntries: {
    value: 16,
    reason: "Attachments of earlier messages that are read again for the model.",
  },
  agentLineChars: {
    value: 1_048_576,
    reason: "Messages in one `conversation` line; longer conversations take several.",
  },
  agentListedEntries: {
    value: 5_000,
    reason: "Conversations that one `conversations` lists, the latest first.",
  },
  agentListedBytes: {
    value: 8_388_608,
    reason: "What that list may take: it is one line, and ids may be long.",
  },
  agentIdChars: {
    value: 4_096,
    reason: "Length of a request's id: every token of its answer carries it.",
  },
  agentConversationIdChars: {
    value: 8_192,
    reason: "Length of a conversation's id.",
  },
  agentControlChars: {
    value: 65_536,
    reason: "Length of a request that is no message: many of them may be answered at the same time.",
  },
  agentSliceMessages: {
    value: 64,
    reason: "Messages that are sent before the runtime looks at what has come in: a status never waits for more.",
  },
  agentRefusedMessages: {
    value: 32,
    reason: "Refused lines that the log names one by one; after that it says how many, each time that they have doubled.",
  },
  agentUnsentMessages: {
    value: 256,
    reason: "Answers that wait for a host that does not read, or requests that are being answered, before reading stops.",
  },
  permissionMs: {
    value: 120_000,
    reason: "How long a question to the user waits for its answer before it counts as denied.",
  },
  permissionUnprovenMs: {
    value: 45_000,
    reason:
      "The same for a host that has not shown that it answers questions, counted from the last response that the first contract knows: such hosts give up after 60 seconds of silence.",
  },
  offlineMessageChars: {
    value: 65_536,
    reason: "Length of a message that the offline model reads; it says so of a longer one.",
  },
  offlineRequestEntries: {
    value: 20,
    reason: "Requests in one message that the offline model takes on, one after the other.",
  },
  offlineRepeatChars: {
    value: 8_000,
    reason: "How much of a file or result the offline model repeats in its answer.",
  },
  offlineListEntries: {
    value: 200,
    reason: "Names or matches that the offline model repeats in its answer.",
  },
  mcpServerEntries: {
    value: 32,
    reason: "MCP servers of one configuration.",
  },
  mcpToolEntries: {
    value: 512,
    reason: "Tools that are taken from one MCP server.",
  },
  mcpConnectMs: {
    value: 30_000,
    reason: "Time for an MCP server to start, agree on the protocol and list its tools.",
  },
  mcpRestartEntries: {
    value: 3,
    reason: "Starts of a lost MCP server in a row without a call that it answers; then it stays lost.",
  },
  mcpDescriptionChars: {
    value: 4_096,
    reason: "Length of a description that an MCP server gives its tool.",
  },
  mcpSchemaChars: {
    value: 131_072,
    reason: "Input schema of an MCP server's tool, as JSON; a tool with a larger one is left out.",
  },
  modelResponseBytes: {
    value: 67_108_864,
    reason: "One response of a model's server.",
  },
  modelLineBytes: {
    value: 8_388_608,
    reason: "One line of such a response: an event is held in memory until it is complete.",
  },
  modelHeldBytes: {
    value: 4_194_304,
    reason: "Unfinished lines of all such responses together, each `agentLightBytes` less; beyond it one at a time is read on.",
  },
  modelUnknownEntries: {
    value: 32,
    reason: "Kinds of events that a model's server sends and that are unknown here, which the log names, each once.",
  },
  modelRetryCalls: {
    value: 4,
    reason: "How often a step is tried again after a model's server was overloaded, failed or could not be reached.",
  },
  modelBackoffMs: {
    value: 500,
    reason: "The first pause before that, unless the server asks for a longer one; the next ones are twice as long each.",
  },
  modelRetryPauseMs: {
    value: 60_000,
    reason: "The longest such pause; a server that asks for a longer one has its error shown at once.",
  },
  modelRetryTotalMs: {
    value: 120_000,
    reason: "All pauses of one step together.",
  },
  modelCatalogEntries: {
    value: 64,
    reason: "Models that are kept ready for the next turn.",
  },
  localServerMs: {
    value: 200,
    reason: "Looking for a model server on this machine.",
  },
  conversationTitleChars: {
    value: 80,
    reason: "A conversation's title in a list; the rest is cut off.",
  },
  maxConversationBytes: {
    value: 25_165_824,
    reason:
      "What one conversation may hold: the bytes of its messages, and `memberChars` for what they are made of. More than any model reads; a message beyond it is refused.",
  },
  maxOpenConversationBytes: {
    value: 67_108_864,
    reason: "What the open conversations of one history hold together; without a file, all of them.",
  },
  maxJournalBytes: {
    value: 134_217_728,
    reason: "How much of a conversation's file is read, from its end; a larger one is set aside and its newest messages are kept.",
  },
  journalSlackBytes: {
    value: 1_048_576,
    reason: "How much a conversation's file may exceed twice its content before it is written again.",
  },
  listedConversationEntries: {
    value: 10_000,
    reason: "Conversations in a list, the latest; older ones are left out, with a notice.",
  },
  attachmentEntries: {
    value: 20,
    reason: "Files attached to one message.",
  },
  maxImageBytes: {
    value: 5_242_880,
    reason: "An attached image; the APIs of models take no larger one.",
  },
  maxTextFileBytes: {
    value: 10_485_760,
    reason: "An attached text file.",
  },
  maxAttachedBytes: {
    value: 16_777_216,
    reason: "The files attached to one message together.",
  },
  agentConfigBytes: {
    value: 1_048_576,
    reason: "Size of the agent's configuration file.",
  },
  agentLateToolsMs: {
    value: 10_000,
    reason: "How long the first turn waits for the tools of MCP servers, modules and APIs.",
  },
  ...agentToolLimitTable,
  ...agentHostLimitTable,
};
