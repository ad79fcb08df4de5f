// Every bound of the wire layer: one name, one default, one reason. `docs/limits.md` is
// generated from this table. Names carry their unit; a limit that a caller may change is an
// option of the same name where it applies.

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
  maxReadMembers: {
    value: 600_000,
    reason: "Objects, arrays and named members of a received message: ten megabytes of `{}` would take half a gigabyte once parsed.",
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
    reason: "The text of those messages, whatever their number.",
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
  maxTapChars: {
    value: 2_000,
    reason: "Length of one message in the protocol log.",
  },
  maxErrorTextChars: {
    value: 2_000,
    reason: "Length of a foreign error text inside one of our messages.",
  },
  maxParameterBytes: {
    value: 65_536,
    reason: "One value in a path, query, header or cookie of an API call; more belongs in a body.",
  },
  maxRequestHeadBytes: {
    value: 262_144,
    reason: "Address and headers of one API call together.",
  },
  maxDurationMs: {
    value: 2_147_483_647,
    reason: "The longest wait a timer can hold; a longer duration is taken as this one.",
  },
  maxDocumentBytes: {
    value: 67_108_864,
    reason: "An OpenAPI document; the largest public ones have about 15 MB.",
  },
  maxDocumentDepth: {
    value: 200,
    reason: "Nesting of an OpenAPI document.",
  },
  maxDocumentNodes: {
    value: 5_000_000,
    reason: "Values of a YAML document with its aliases written out: a few hundred bytes of aliases can stand for billions.",
  },
  maxOperationBytes: {
    value: 2_097_152,
    reason: "The schemas that one operation reaches; those beyond it are left out of its description, with a note.",
  },
  maxRememberedOperations: {
    value: 256,
    reason: "Descriptions of operations kept in memory, so that repeated calls of one do not read it again.",
  },
  maxCachedDocuments: {
    value: 32,
    reason: "Documents in the cache folder; the oldest ones are removed.",
  },
  maxCacheBytes: {
    value: 268_435_456,
    reason: "Bytes in that folder; the oldest files are removed.",
  },
  documentMaxAgeMs: {
    value: 86_400_000,
    reason: "Age of a document that was fetched from a gateway, after which it is asked for again.",
  },
  callTimeoutMs: {
    value: 8_000,
    reason: "One gateway call unless it says otherwise: connecting, all tries, headers and body together.",
  },
  maxBodyBytes: {
    value: 4_194_304,
    reason: "Decoded bytes of a response that a gateway call keeps; the rest is not read, and the answer says `truncated`.",
  },
  maxBodyJsonBytes: {
    value: 8_388_608,
    reason: "The same body written as a JSON string, where a control character takes six bytes: leaves room in a line for the rest of the answer.",
  },
  retryBackoffMs: {
    value: 250,
    reason: "The first wait before a call is tried again, unless it says otherwise; it doubles with every try.",
  },
  maxRetryBackoffMs: {
    value: 30_000,
    reason: "The longest such wait.",
  },
  maxRedirects: {
    value: 5,
    reason: "Redirects within the gateway's origin that one call follows.",
  },
  maxContentCodings: {
    value: 2,
    reason: "Compressions around one response body; each more multiplies what a few bytes can unfold to.",
  },
  httpConnections: {
    value: 64,
    reason: "Connections to the gateway that are open at the same time, unless there are more workers.",
  },
  httpConnectMs: {
    value: 30_000,
    reason: "How long a connection to the gateway may take to open, whatever the calls that wait for it.",
  },
  httpIdleMs: {
    value: 30_000,
    reason: "How long an unused connection to the gateway is kept.",
  },
  maxConfigBytes: {
    value: 1_048_576,
    reason: "Size of the configuration file; a larger one is something else.",
  },
  maxTokenBytes: {
    value: 8_192,
    reason: "Length of a token, also of the file it comes from: more does not fit into the headers that servers take.",
  },
  rpcMaxWorkers: {
    value: 256,
    reason: "Calls that one rpc process or batch makes at the same time, at most.",
  },
  rpcMaxQueueSize: {
    value: 10_000,
    reason: "Calls that may wait for a worker of an rpc process, at most.",
  },
  rpcQueuedBytes: {
    value: 33_554_432,
    reason: "Text of the calls that wait in an rpc process; one that would exceed it finds the queue full. A single call always fits.",
  },
  rpcUnsentBytes: {
    value: 33_554_432,
    reason: "Answers of an rpc process that its host has not read; beyond it nothing is read and no call starts.",
  },
  rpcMaxIdBytes: {
    value: 2_097_152,
    reason: "An id that every answer has room for; a request with a longer one is refused without it.",
  },
  rpcErrorTextBytes: {
    value: 200,
    reason: "Text that tells what is wrong with a line or its arguments.",
  },
  rpcPendingControls: {
    value: 64,
    reason: "Answers that wait behind a `reload_config` for their turn before reading stops.",
  },
  rpcCancelAnswerMs: {
    value: 250,
    reason: "Time that a cancelled call has to end by itself, with its request and its times, before it is answered without them.",
  },
  batchHeldItems: {
    value: 1_024,
    reason: "How far an ordered batch runs ahead of its oldest unfinished item.",
  },
  batchHeldBytes: {
    value: 33_554_432,
    reason: "Results that an ordered batch holds back until it is their turn; no item starts beyond it.",
  },
  hostHandshakeMs: {
    value: 10_000,
    reason: "Time for a started rpc process to answer `hello`.",
  },
  hostBackoffMs: {
    value: 100,
    reason: "Wait before an rpc process that ended is started again; doubled with each that ends before it answered a call.",
  },
  hostMaxBackoffMs: {
    value: 5_000,
    reason: "The longest such wait.",
  },
  demoBodyBytes: {
    value: 65_536,
    reason: "Request body that the demo API takes.",
  },
  demoEntries: {
    value: 1_000,
    reason: "Tags, and log entries, that the demo API remembers.",
  },
  demoDelayMs: {
    value: 60_000,
    reason: "The longest answer of the demo API's slow operation.",
  },
  maxOperationTools: {
    value: 40,
    reason: "Operations that become one tool each; more are found, described and called through three tools, to spare the model's context.",
  },
  maxToolSchemaChars: {
    value: 20_000,
    reason: "JSON Schema of one operation as a model gets it; a longer body schema is left out and said in words.",
  },
  maxFoundOperations: {
    value: 50,
    reason: "Operations that one search by a model returns.",
  },
  maxCommandInputBytes: {
    value: 10_485_760,
    reason: "Body or token that a command reads from stdin or a file.",
  },
});

export type LimitName = keyof typeof limitTable;

/** The default of every limit, by name. */
export const limits = Object.fromEntries(Object.entries(limitTable).map(([name, { value }]) => [name, value])) as {
  readonly [Name in LimitName]: number;
};
