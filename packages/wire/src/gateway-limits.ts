// The bounds of the gateway: what it sends, reads, keeps and waits for. Part of `limits`.

export const gatewayLimitTable = {
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
    value: 33_554_432,
    reason: "An OpenAPI document; the largest public ones have about 15 MB.",
  },
  maxDocumentJsonMembers: {
    value: 1_000_000,
    reason: "Values of an OpenAPI document in JSON, counted before it is parsed; the largest public ones have 300,000.",
  },
  maxDocumentYamlMembers: {
    value: 500_000,
    reason: "The same in YAML, whose parser takes four times as much memory and time for a value.",
  },
  maxAliasEntries: {
    value: 10_000,
    reason: "Aliases in a YAML document.",
  },
  maxDocumentDepth: {
    value: 200,
    reason: "Nesting of an OpenAPI document.",
  },
  maxDocumentMembers: {
    value: 5_000_000,
    reason:
      "Values of an OpenAPI document with the aliases of YAML, and then its references, written out: a few hundred bytes can stand for billions.",
  },
  maxReferenceSteps: {
    value: 32,
    reason: "References of which each leads to the next; more are taken for a circle.",
  },
  maxMediaTypeEntries: {
    value: 8,
    reason:
      "Media types in each list of a Swagger 2 document; every operation gets a copy of its schema for each. Those behind are left out.",
  },
  maxIndexBytes: {
    value: 16_777_216,
    reason:
      "The operations and schemas of a document, as its index keeps them; the largest public ones come to two thirds of it. References to one large value, each written out, would else make gigabytes of a small document.",
  },
  maxOperationBytes: {
    value: 2_097_152,
    reason:
      "The schemas that one operation reaches; those beyond it are left out of its description, with a note. An operation that is longer by itself can't be called by its id.",
  },
  maxRememberedEntries: {
    value: 256,
    reason: "Descriptions of operations kept in memory, so that repeated calls of one do not read it again.",
  },
  maxCachedEntries: {
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
  maxHeldBodyBytes: {
    value: 8_388_608,
    reason: "Bodies that all running calls of one process hold together until their answers are written; a call that finds no room waits.",
  },
  maxBodyJsonBytes: {
    value: 8_388_608,
    reason:
      "The same body written as a JSON string, where a control character takes six bytes: leaves room in a line for the rest of the answer.",
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
  documentTimeoutMs: {
    value: 30_000,
    reason: "Fetching an API document from the gateway, one path: documents are larger than answers.",
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
  rpcMaxQueuedMessages: {
    value: 10_000,
    reason: "Calls that may wait for a worker of an rpc process, at most.",
  },
  rpcQueuedBytes: {
    value: 33_554_432,
    reason: "Text of the calls that wait in an rpc process; one that would exceed it finds the queue full. A single call always fits.",
  },
  rpcReadAheadBytes: {
    value: 1_048_576,
    reason:
      "Text of the calls that an rpc process reads ahead while its queue is full, so that a `cancel` or `hello` behind them is answered; then it stops reading. The call that reaches the bound is still taken.",
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
  rpcPendingMessages: {
    value: 64,
    reason: "Answers that wait behind a `reload_config` for their turn before reading stops.",
  },
  rpcCancelAnswerMs: {
    value: 250,
    reason: "Time that a cancelled call has to end by itself, with its request and its times, before it is answered without them.",
  },
  batchFirstLineBytes: {
    value: 65_536,
    reason: "How far a batch is looked at for an object that goes over several lines; no formatter writes a longer first line.",
  },
  batchHeldEntries: {
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
  maxToolEntries: {
    value: 40,
    reason: "Operations that become one tool each; more are found, described and called through three tools, to spare the model's context.",
  },
  maxToolSchemaChars: {
    value: 20_000,
    reason: "JSON Schema of one operation as a model gets it; a longer body schema is left out and said in words.",
  },
  maxFoundEntries: {
    value: 50,
    reason: "Operations that one search by a model returns.",
  },
  maxCommandInputBytes: {
    value: 10_485_760,
    reason: "Body or token that a command reads from stdin or a file.",
  },
};
