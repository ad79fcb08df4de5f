// Every bound of the wire layer: one name, one default, one reason. `docs/limits.md` is
// generated from this table. Names carry their unit; a limit that a caller may change is an
// option of the same name where it applies.

import { agentLimitTable } from "./agent-limits.ts";
import { claudeCodeLimitTable } from "./claude-code-limits.ts";
import { gatewayLimitTable } from "./gateway-limits.ts";
import { shellLimitTable } from "./shell-limits.ts";

interface Limit {
  readonly value: number;
  readonly reason: string;
}

const define = <Table extends Record<string, Limit>>(table: Table): Table => table;

/** The limits with their reasons, as the documentation prints them. */
export const limitTable = define({
  maxMessageBytes: {
    value: 10_485_760,
    reason: "Payload of one frame or line, inclusive; fixed by the contracts (MAX_MESSAGE_SIZE).",
  },
  maxDiscardBytes: {
    value: 67_108_864,
    reason:
      "A length prefix up to this is skipped and the connection lives; a larger one is a peer that lost its framing, and the connection ends.",
  },
  maxReadDepth: {
    value: 128,
    reason: "Nesting of a received message, the outermost value being level 1; deeper JSON is refused before it can stall anything.",
  },
  maxWriteDepth: {
    value: 127,
    reason: "Nesting of a sent message: what Rust's serde_json still reads.",
  },
  refusedHeadBytes: {
    value: 4_096,
    reason: "How much of a refused message is kept, so that a leading id can still be answered.",
  },
  maxUnsentBytes: {
    value: 33_554_432,
    reason: "Bytes that one transport holds for a peer that does not read; a sender that ignores backpressure is refused beyond it.",
  },
  maxUnreadMessages: {
    value: 256,
    reason: "Decoded messages that wait for the reader before the stream is paused; one more chunk may already be in hand.",
  },
  maxUnreadChars: {
    value: 10_485_760,
    reason: "What those messages weigh, whatever their number: their characters, and `memberChars` for what they hold.",
  },
  memberChars: {
    value: 64,
    reason: "What each object, array and named member of a message weighs besides its text: about its bytes once parsed.",
  },
  maxHeldBytes: {
    value: 33_554_432,
    reason:
      "What the connections of one session hold together: unsent answers, unread messages, unfinished frames, arguments of running calls. Beyond it no call begins. A single message that weighs more is refused before it is parsed: the heaviest that passes (440,000 keys in 5 MB) was measured at 194 MB in a process that reads it and writes it again, and ten megabytes of `{}` would take half a gigabyte.",
  },
  frameDeadlineMs: {
    value: 30_000,
    reason: "Silence in the middle of a frame on a socket, after which the connection is closed.",
  },
  connectTimeoutMs: {
    value: 5_000,
    reason: "Time to connect to a local socket.",
  },
  closeFlushMs: {
    value: 2_000,
    reason: "Time that a closing transport gives its last bytes to leave.",
  },
  halfClosedProbeMs: {
    value: 250,
    reason: "How often a half-closed socket is asked whether its peer still reads.",
  },
  maxConnections: {
    value: 256,
    reason: "Connections of one listener; lowered to leave descriptors free where the process may open few.",
  },
  reservedDescriptors: {
    value: 40,
    reason: "File descriptors that connections never use up, so that tools can still open files.",
  },
  staleSocketMs: {
    value: 60_000,
    reason: "Age before a dead socket or private directory of another session is removed.",
  },
  staleSchemaMs: {
    value: 3_600_000,
    reason: "Age before a schema file without a live socket is removed.",
  },
  maxSweptEntries: {
    value: 1_000,
    reason: "Leftovers that one start looks at; the rest waits for the next start.",
  },
  lockBeatMs: {
    value: 5_000,
    reason:
      "How often the holder of a lock shows that it lives, for those who can't see its process: those in other containers and machines.",
  },
  lockSilenceMs: {
    value: 60_000,
    reason: "Silence of such a holder after which its lock counts as left behind; it is watched for one more beat before it is taken over.",
  },
  lockWaitMs: {
    value: 30_000,
    reason: "How long a change of a small file (configuration, remembered answers) waits for another process that is changing it.",
  },
  staleFolderMs: {
    value: 86_400_000,
    reason: "Silence before a temporary folder is removed whose process can't be seen; one whose process is gone goes at once.",
  },
  eofGraceMs: {
    value: 10_000,
    reason: "After the end of input: time for accepted work to finish.",
  },
  signalGraceMs: {
    value: 3_000,
    reason: "After SIGTERM or SIGINT: time for running work to finish before it is cancelled.",
  },
  cancelGraceMs: {
    value: 1_500,
    reason: "After cancelling: time for the last answers before the process ends regardless.",
  },
  exitFlushMs: {
    value: 5_000,
    reason: "Time that an ending process gives a slow reader to take the last bytes.",
  },
  parentPollMs: {
    value: 1_000,
    reason: "How often a child looks whether its parent still lives.",
  },
  stopInputMs: {
    value: 2_000,
    reason: "Stopping a child: time after its input ended, before SIGTERM.",
  },
  stopSignalMs: {
    value: 3_000,
    reason: "Stopping a child: time after SIGTERM, before SIGKILL.",
  },
  bridgeConnections: {
    value: 8,
    reason: "Calls that one bridge process carries at the same time, each on a connection of its own.",
  },
  bridgeEofGraceMs: {
    value: 2_000,
    reason: "After a bridge's client closed its end: time for running calls before they are cancelled.",
  },
  bridgeFollowMs: {
    value: 1_000,
    reason: "How often a bridge with `--follow` looks whether the program was restarted with other tools.",
  },
  progressHeartbeatMs: {
    value: 15_000,
    reason: "Silence of a running tool after which its client, if it asked for progress, is told that it lives.",
  },
  maxResultBytes: {
    value: 4_000_000,
    reason:
      "A tool result as the bridge sends it to its client; a larger one goes to a file, since clients close the connection over long lines.",
  },
  maxSpillBytes: {
    value: 268_435_456,
    reason: "Bytes of large results that one bridge process keeps in files.",
  },
  spillPreviewChars: {
    value: 2_000,
    reason: "How much of a large result is shown beside the link to its file.",
  },
  maxStderrBytes: {
    value: 1_048_576,
    reason: "Log bytes held for a reader that does not read stderr; what comes then is dropped and counted.",
  },
  shownNoiseEntries: {
    value: 8,
    reason: "Lines of a program that aren't messages and are shown in the log one by one; further ones are counted.",
  },
  shownNoiseChars: {
    value: 300,
    reason: "How much of such a line is shown.",
  },
  maxTapChars: {
    value: 2_000,
    reason: "Length of one message in the protocol log; `HAWSER_DEBUG=protocol-full` shows all of it.",
  },
  maxErrorTextChars: {
    value: 2_000,
    reason: "Length of a foreign error text inside one of our messages.",
  },
  schemaCheckSteps: {
    value: 3_000_000,
    reason: "Work of checking one value against a JSON Schema, about one step for a keyword at a place; beyond it the value is refused.",
  },
  schemaSliceMs: {
    value: 15,
    reason: "How long all checks of a process together may go on before other work gets its turn.",
  },
  schemaDepth: {
    value: 1_000,
    reason:
      "Schemas within schemas that one check goes through, references included; a schema that refers to itself without end is refused.",
  },
  schemaPatternSteps: {
    value: 200_000,
    reason: "A regular expression of a schema that may take more steps than this for a text is tried in a thread of its own.",
  },
  schemaPatternMs: {
    value: 1_000,
    reason: "Time in that thread for all texts of one check; beyond it the value is refused.",
  },
  schemaWaitingEntries: {
    value: 256,
    reason: "Texts that wait for that thread; beyond it a value is refused with `overloaded`.",
  },
  schemaThreadIdleMs: {
    value: 10_000,
    reason: "After that time without work the thread is ended.",
  },
  ...gatewayLimitTable,
  ...agentLimitTable,
  ...claudeCodeLimitTable,
  ...shellLimitTable,
});

export type LimitName = keyof typeof limitTable;

/** The default of every limit, by name. */
export const limits = Object.fromEntries(Object.entries(limitTable).map(([name, { value }]) => [name, value])) as {
  readonly [Name in LimitName]: number;
};
