// Every bound of framing, transports, flow, sockets and processes: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const wireLimits = {
  /** Payload of one frame or line, inclusive; fixed by the contracts (MAX_MESSAGE_SIZE). */
  maxMessageBytes: 10_485_760,
  /** A length prefix up to this is skipped and the connection lives; a larger one is a peer that lost its framing, and the connection ends. */
  maxDiscardBytes: 67_108_864,
  /** Nesting of a received message, the outermost value being level 1; deeper JSON is refused before it can stall anything. */
  maxReadDepth: 128,
  /** Nesting of a sent message: what Rust's serde_json still reads. */
  maxWriteDepth: 127,
  /** How much of a refused message is kept, so that a leading id can still be answered. */
  refusedHeadBytes: 4_096,
  /** Bytes that one transport holds for a peer that does not read; a sender that ignores backpressure is refused beyond it. */
  maxUnsentBytes: 33_554_432,
  /** Decoded messages that wait for the reader before the stream is paused; one more chunk may already be in hand. */
  maxUnreadMessages: 256,
  /** What those messages weigh, whatever their number: their characters, and `memberChars` for what they hold. */
  maxUnreadChars: 10_485_760,
  /** What each object, array and named member of a message weighs besides its text: about its bytes once parsed. */
  memberChars: 64,
  /** What the connections of one session hold together: unsent answers, unread messages, unfinished frames, arguments of running calls. Beyond it no call begins. A single message that weighs more is refused before it is parsed: the heaviest that passes (440,000 keys in 5 MB) was measured at 194 MB in a process that reads it and writes it again, and ten megabytes of `{}` would take half a gigabyte. */
  maxHeldBytes: 33_554_432,
  /** Silence in the middle of a frame on a socket, after which the connection is closed. */
  frameDeadlineMs: 30_000,
  /** Time to connect to a local socket. */
  connectTimeoutMs: 5_000,
  /** Time that a closing transport gives its last bytes to leave. */
  closeFlushMs: 2_000,
  /** How often a half-closed socket is asked whether its peer still reads. */
  halfClosedProbeMs: 250,
  /** Connections of one listener; lowered to leave descriptors free where the process may open few. */
  maxConnections: 256,
  /** File descriptors that connections never use up, so that tools can still open files. */
  reservedDescriptors: 40,
  /** Age before a dead socket or private directory of another session is removed. */
  staleSocketMs: 60_000,
  /** Age before a schema file without a live socket is removed. */
  staleSchemaMs: 3_600_000,
  /** Leftovers that one start looks at; the rest waits for the next start. */
  maxSweptEntries: 1_000,
  /** How often the holder of a lock shows that it lives, for those who can't see its process: those in other containers and machines. */
  lockBeatMs: 5_000,
  /** Silence of such a holder after which its lock counts as left behind; it is watched for one more beat before it is taken over. */
  lockSilenceMs: 60_000,
  /** How long a change of a small file (configuration, remembered answers) waits for another process that is changing it. */
  lockWaitMs: 30_000,
  /** Silence before a temporary folder is removed whose process can't be seen; one whose process is gone goes at once. */
  staleFolderMs: 86_400_000,
  /** After the end of input: time for accepted work to finish. */
  eofGraceMs: 10_000,
  /** After SIGTERM or SIGINT: time for running work to finish before it is cancelled. */
  signalGraceMs: 3_000,
  /** After cancelling: time for the last answers before the process ends regardless. */
  cancelGraceMs: 1_500,
  /** Time that an ending process gives a slow reader to take the last bytes. */
  exitFlushMs: 5_000,
  /** How often a child looks whether its parent still lives. */
  parentPollMs: 1_000,
  /** Stopping a child: time after its input ended, before SIGTERM. */
  stopInputMs: 2_000,
  /** Stopping a child: time after SIGTERM, before SIGKILL. */
  stopSignalMs: 3_000,
  /** How long the small shell that ends what we have started when we are killed (one for all of it) stays when nothing is left to guard: the next command needs no new one. */
  guardIdleMs: 10_000,
  /** Log bytes held for a reader that does not read stderr; what comes then is dropped and counted. */
  maxStderrBytes: 1_048_576,
  /** Length of one message in the protocol log; `HAWSER_DEBUG=protocol-full` shows all of it. */
  maxTapChars: 2_000,
};
