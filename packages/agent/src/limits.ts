// Every bound of the agent runtime, its tools, history and models: one name that ends in its unit, one default, and the reason that `docs/limits.md` shows.

export const agentLimits = {
  /** Turns that may wait in one conversation; the next one is refused. */
  agentQueuedTurns: 64,
  /** Conversations that have work at the same time. */
  agentBusyLanes: 64,
  /** Tool calls that a model may make in one step. */
  agentStepCalls: 128,
  /** Steps of a model in one turn: a loop ends. */
  agentSteps: 100,
  /** Text of one turn. */
  agentTurnBytes: 16_777_216,
  /** The longest turn. */
  agentTurnMs: 1_800_000,
  /** What the messages that wait or are being answered hold together; one that would exceed it is refused. */
  agentQueuedBytes: 33_554_432,
  /** A turn that holds no more than this never waits for the memory of others, and a message no longer than this may still begin one. */
  agentLightBytes: 262_144,
  /** What the running turns hold together, each `agentLightBytes` less: twice their conversations and attachments. Beyond it none begins, and one at a time goes on. */
  agentHeldBytes: 25_165_824,
  /** Silence of a running turn after which its host is told that it lives. */
  agentHeartbeatMs: 15_000,
  /** How long a turn that opens its conversation and reads what is attached keeps the next one from beginning. */
  agentEntranceMs: 2_000,
  /** Steers that wait in one conversation for its model to see them; the next one is refused. */
  agentSteerEntries: 32,
  /** Steers whose conversation is known without their queue being listed again; the one that was named longest ago is forgotten first. */
  agentKnownSteerEntries: 1_024,
  /** What a list of the queue shows of each message: all of them together are one line. */
  agentQueueShownChars: 8_192,
  /** What running turns have sent, kept for a host that comes back; all turns together. */
  agentReplayBytes: 8_388_608,
  /** Conversations that stay open, and locked, while nothing happens in them. */
  agentOpenEntries: 32,
  /** What those conversations hold together; one alone may hold more, until another one is used. */
  agentOpenBytes: 8_388_608,
  /** JSON of what one tool call returns; more is cut, with a note. */
  agentToolResultChars: 1_048_576,
  /** Images and other media in what one tool call returns, as base64; one that does not fit is only described. */
  agentToolMediaChars: 4_194_304,
  /** JSON of the arguments of one tool call: with what is around it, it is one line. */
  agentToolInputBytes: 2_097_152,
  /** Arguments of all tool calls of one step together. */
  agentStepInputChars: 4_194_304,
  /** Text of all changes to files that one use of a tool shows; those that do not fit are left out. */
  agentDiffChars: 1_048_576,
  /** Files that one use of a tool is said to be about; more are left out. */
  agentLocationEntries: 100,
  /** Reports of one running tool that wait for a host; of those beyond it only the latest is sent. */
  agentProgressEntries: 16,
  /** The longest run of one tool. */
  agentToolMs: 600_000,
  /** Tool calls of one step that run at the same time, when all of them only read. */
  agentParallelCalls: 8,
  /** Text of one `token`; a model's longer piece becomes several. */
  agentTokenChars: 65_536,
  /** Attachments of earlier messages that are read again for the model. */
  agentEarlierEntries: 16,
  /** Messages in one `conversation` line; longer conversations take several. */
  agentLineChars: 1_048_576,
  /** Conversations that one `conversations` lists, the latest first. */
  agentListedEntries: 5_000,
  /** What that list may take: it is one line, and ids may be long. */
  agentListedBytes: 8_388_608,
  /** Length of a request's id: every token of its answer carries it. */
  agentIdChars: 4_096,
  /** Length of a conversation's id. */
  agentConversationIdChars: 8_192,
  /** Length of a request other than a message: many of them may be answered at the same time. */
  agentControlChars: 65_536,
  /** Messages that are sent before the runtime looks at what has come in: a status never waits for more. */
  agentSliceMessages: 64,
  /** Refused lines that the log names one by one; after that it says how many, each time that they have doubled. */
  agentRefusedMessages: 32,
  /** Answers that wait for a host that does not read, or requests that are being answered, before reading stops. */
  agentUnsentMessages: 256,
  /** Folders of one conversation. */
  agentFolderEntries: 16,
  /** Size of one tool module that a folder brings along. */
  folderModuleBytes: 4_194_304,
  /** Tool modules that one folder may bring along. */
  folderModuleEntries: 32,
  /** What one question about a folder lists of it. */
  trustQuestionEntries: 32,
  /** Folders that are remembered as trusted. */
  trustedFolderEntries: 1_000,
  /** How long a question to the user waits for its answer before it counts as denied. */
  permissionMs: 120_000,
  /** The same for a host that has not shown that it answers questions, counted from the last response that the first contract knows: such hosts give up after 60 seconds of silence. */
  permissionUnprovenMs: 45_000,
  /** How full a model's context may be before a step; beyond it the beginning of the conversation is summarised first. */
  compactAtPercent: 80,
  /** How much of the context the latest messages may take that stay as they were said; a summary gets at most half of it. */
  compactKeepPercent: 30,
  /** How much of the context a summary has to make free, unless it is asked for or nothing fits any more. */
  compactGainPercent: 10,
  /** Length of a summary. */
  summaryTokens: 4_000,
  /** Requests to a model for one summary; what came before the last of them is left out. */
  summaryCalls: 16,
  /** What a request for a summary tells of one text. */
  summaryTextChars: 8_000,
  /** What it tells of the arguments and of the result of one use of a tool. */
  summaryResultChars: 2_000,
  /** Steps of a plan that an agent may have. */
  planEntries: 100,
  /** Text of one step of a plan. */
  planStepChars: 1_000,
  /** Length of a message that the offline model reads; it says so of a longer one. */
  offlineMessageChars: 65_536,
  /** Requests in one message that the offline model takes on, one after the other. */
  offlineRequestEntries: 20,
  /** How much of a file or result the offline model repeats in its answer. */
  offlineRepeatChars: 8_000,
  /** Names or matches that the offline model repeats in its answer. */
  offlineListEntries: 200,
  /** MCP servers of one configuration. */
  mcpServerEntries: 32,
  /** Tools that are taken from one MCP server. */
  mcpToolEntries: 512,
  /** Length of the name that an MCP server gives its tool; a tool with a longer one is left out. */
  mcpToolNameChars: 256,
  /** Time for an MCP server to start, agree on the protocol and list its tools. */
  mcpConnectMs: 30_000,
  /** Starts of a lost MCP server in a row without a call that it answers; then it stays lost. */
  mcpRestartEntries: 3,
  /** Length of a description that an MCP server gives its tool. */
  mcpDescriptionChars: 4_096,
  /** Input schema of an MCP server's tool, as JSON; a tool with a larger one is left out. */
  mcpSchemaChars: 131_072,
  /** One response of a model's server. */
  modelResponseBytes: 67_108_864,
  /** One line of such a response: an event is held in memory until it is complete. */
  modelLineBytes: 8_388_608,
  /** Unfinished lines of all such responses together, each `agentLightBytes` less; beyond it one at a time is read on. */
  modelHeldBytes: 4_194_304,
  /** Kinds of events that a model's server sends and that are unknown here, which the log names, each once. */
  modelUnknownEntries: 32,
  /** How often a step is tried again after a model's server was overloaded, failed or could not be reached. */
  modelRetryCalls: 4,
  /** The first pause before that, unless the server asks for a longer one; the next ones are twice as long each. */
  modelBackoffMs: 500,
  /** The longest such pause; a server that asks for a longer one has its error shown at once. */
  modelRetryPauseMs: 60_000,
  /** All pauses of one step together. */
  modelRetryTotalMs: 120_000,
  /** Models that are kept ready for the next turn. */
  modelCatalogEntries: 64,
  /** Looking for a model server on this machine. */
  localServerMs: 200,
  /** A conversation's title in a list; the rest is cut off. */
  conversationTitleChars: 80,
  /** What one conversation may hold: the bytes of its messages, and `memberChars` for what they are made of. More than any model reads; a message beyond it is refused. */
  maxConversationBytes: 25_165_824,
  /** What the open conversations of one history hold together; without a file, all of them. */
  maxOpenConversationBytes: 67_108_864,
  /** How much of a conversation's file is read, from its end; a larger one is set aside and its newest messages are kept. */
  maxJournalBytes: 134_217_728,
  /** How much a conversation's file may exceed twice its content before it is written again. */
  journalSlackBytes: 1_048_576,
  /** Matches of a search over all conversations, unless fewer are asked for. */
  searchMatchEntries: 50,
  /** Matches that may be asked for. */
  searchMostMatchEntries: 200,
  /** Length of a search over all conversations; the rest is not looked at. */
  searchQueryChars: 1_000,
  /** Words of a search over all conversations; the rest is not looked at. */
  searchWordEntries: 16,
  /** How much of one message is searched. */
  searchTextChars: 65_536,
  /** How long a search waits until its index knows what has changed; the rest is read behind the answer. */
  searchUpdateMs: 2_000,
  /** Conversations in a list, the latest; older ones are left out, with a notice. */
  listedConversationEntries: 10_000,
  /** Files attached to one message. */
  attachmentEntries: 20,
  /** An attached image; the APIs of models take no larger one. */
  maxImageBytes: 5_242_880,
  /** An attached text file. */
  maxTextFileBytes: 10_485_760,
  /** The files attached to one message together. */
  maxAttachedBytes: 16_777_216,
  /** Size of the agent's configuration file. */
  agentConfigBytes: 1_048_576,
  /** A path that a model gives; what systems take at most. */
  maxPathBytes: 4_096,
  /** Names in one answer of `list_files`; the rest is left out and said so. */
  listedEntries: 2_000,
  /** Names that are offered to a user who types one. */
  foundFileEntries: 50,
  /** How long names are looked for while a user types; what is found by then is offered. */
  foundFilesMs: 400,
  /** Names that one listing or search looks at. */
  walkedEntries: 200_000,
  /** Folders within folders that a listing or search enters. */
  walkedDepth: 64,
  /** Text in one answer of `read_file`; the next call goes on from there. */
  readFileBytes: 262_144,
  /** What `read_file` passes over on its way to the line that is asked for. */
  skippedFileBytes: 268_435_456,
  /** What `write_file` writes, and the size of a file that `edit_file` changes. */
  writtenFileBytes: 8_388_608,
  /** A larger file is left out of a search, and counted. */
  searchedFileBytes: 4_194_304,
  /** What one search reads in all. */
  searchedBytes: 268_435_456,
  /** The longest search; what was found until then is the answer. */
  searchMs: 20_000,
  /** Files that a search reads ahead of the one whose turn it is. */
  searchAheadEntries: 16,
  /** Folders that a listing or search names, of those that it left out for one reason; the rest is counted. */
  leftOutEntries: 20,
  /** The longest time that a regular expression takes for one file; beyond it the search fails. */
  searchPatternMs: 5_000,
  /** The pattern of a search. */
  searchPatternChars: 1_000,
  /** Matches in one answer of `search_files`. */
  foundEntries: 200,
  /** How much of a line is shown around a match. */
  foundLineChars: 400,
  /** The longest run of a command, unless the configuration says otherwise; then it is ended with everything that it has started. */
  commandMs: 120_000,
  /** What a command gets between SIGTERM and SIGKILL, and its pipes after its end. */
  commandStopMs: 500,
  /** What is kept of a command's stdout and of its stderr: half from the beginning, half from the end. */
  commandOutputBytes: 65_536,
  /** What the model is told of one file with instructions, from its beginning. */
  instructionFileBytes: 32_768,
  /** What it is told of all of them. */
  instructionBytes: 65_536,
  /** Folders above a root that are looked at for the top of its repository. */
  instructionFolderEntries: 32,
  /** Skills in one folder of skills, and in all. */
  skillEntries: 100,
  /** Names that are looked at in one folder of skills. */
  skillFolderEntries: 1_000,
  /** Where the head of a `SKILL.md` must have ended. */
  skillHeadBytes: 16_384,
  /** A skill's name, as the Agent Skills format has it. */
  skillNameChars: 64,
  /** A skill's description, as the Agent Skills format has it. */
  skillDescriptionChars: 1_024,
  /** Names and descriptions of all skills: the model is told them in every turn. */
  skillListChars: 32_768,
  /** Names of a skill's files that come with its text. */
  skillFileEntries: 200,
  /** Instructions and skills that a status names as left out. */
  leftOutTextEntries: 100,
  /** Finding out whether the sandbox works, for each of the two or three programs that are run for it. */
  sandboxProbeMs: 5_000,
  /** What a command in the sandbox may write into each of its empty folders (home, /tmp, /run), which lie in memory. */
  sandboxScratchBytes: 536_870_912,
  /** Folders within /etc that are looked into for what is not for everybody, to hide it from commands; deeper ones are hidden whole. */
  sandboxSystemDepth: 6,
  /** Rules of the permissions, and answers that are remembered. */
  permissionRuleEntries: 1_000,
  /** A pattern in a rule. */
  permissionPatternChars: 1_024,
  /** A value that a rule looks at; a longer one matches no rule that allows, and every pattern of one that asks or denies. An answer that is longer as a rule is not remembered. */
  permissionValueChars: 8_192,
  /** The file with remembered answers. */
  permissionFileBytes: 1_048_576,
  /** The audit log; a full one is kept as `.1` and a new one begun. */
  auditLogBytes: 8_388_608,
  /** What the audit log shows of a call's input. */
  auditPreviewChars: 600,
  /** Lines of the audit log that wait to be written; more are dropped and counted. */
  auditQueuedEntries: 1_000,
};
