// The bounds of the agent's own tools and of the permissions to use tools. Part of `limits`.

export const agentToolLimitTable = {
  maxPathBytes: {
    value: 4_096,
    reason: "A path that a model gives; what systems take at most.",
  },
  listedEntries: {
    value: 2_000,
    reason: "Names in one answer of `list_files`; the rest is left out and said so.",
  },
  walkedEntries: {
    value: 200_000,
    reason: "Names that one listing or search looks at.",
  },
  walkedDepth: {
    value: 64,
    reason: "Folders within folders that a listing or search enters.",
  },
  readFileBytes: {
    value: 262_144,
    reason: "Text in one answer of `read_file`; the next call goes on from there.",
  },
  skippedFileBytes: {
    value: 268_435_456,
    reason: "What `read_file` passes over on its way to the line that is asked for.",
  },
  writtenFileBytes: {
    value: 8_388_608,
    reason: "What `write_file` writes, and the size of a file that `edit_file` changes.",
  },
  searchedFileBytes: {
    value: 4_194_304,
    reason: "A larger file is left out of a search, and counted.",
  },
  searchedBytes: {
    value: 268_435_456,
    reason: "What one search reads in all.",
  },
  searchMs: {
    value: 20_000,
    reason: "The longest search; what was found until then is the answer.",
  },
  searchAheadEntries: {
    value: 16,
    reason: "Files that a search reads ahead of the one whose turn it is.",
  },
  leftOutEntries: {
    value: 20,
    reason: "Folders that a listing or search names, of those that it left out for one reason; the rest is counted.",
  },
  searchPatternMs: {
    value: 5_000,
    reason: "The longest time that a regular expression takes for one file; beyond it the search fails.",
  },
  searchPatternChars: {
    value: 1_000,
    reason: "The pattern of a search.",
  },
  foundEntries: {
    value: 200,
    reason: "Matches in one answer of `search_files`.",
  },
  foundLineChars: {
    value: 400,
    reason: "How much of a line is shown around a match.",
  },
  commandMs: {
    value: 120_000,
    reason: "The longest run of a command, unless the configuration says otherwise; then it is ended with everything that it has started.",
  },
  commandStopMs: {
    value: 500,
    reason: "What a command gets between SIGTERM and SIGKILL, and its pipes after its end.",
  },
  commandOutputBytes: {
    value: 65_536,
    reason: "What is kept of a command's stdout and of its stderr: half from the beginning, half from the end.",
  },
  permissionRuleEntries: {
    value: 1_000,
    reason: "Rules of the permissions, and answers that are remembered.",
  },
  permissionPatternChars: {
    value: 1_024,
    reason: "A pattern in a rule.",
  },
  permissionValueChars: {
    value: 8_192,
    reason:
      "A value that a rule looks at; a longer one matches no rule that allows, and every pattern of one that asks or denies. An answer that is longer as a rule is not remembered.",
  },
  permissionFileBytes: {
    value: 1_048_576,
    reason: "The file with remembered answers.",
  },
  auditLogBytes: {
    value: 8_388_608,
    reason: "The audit log; a full one is kept as `.1` and a new one begun.",
  },
  auditPreviewChars: {
    value: 600,
    reason: "What the audit log shows of a call's input.",
  },
  auditQueuedEntries: {
    value: 1_000,
    reason: "Lines of the audit log that wait to be written; more are dropped and counted.",
  },
};
