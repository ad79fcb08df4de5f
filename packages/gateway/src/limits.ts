// Every bound of calls of an HTTP API: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const gatewayLimits = {
  /** One value in a path, query, header or cookie of an API call; more belongs in a body. */
  maxParameterBytes: 65_536,
  /** Address and headers of one API call together. */
  maxRequestHeadBytes: 262_144,
  /** The longest wait a timer can hold; a longer duration is taken as this one. */
  maxDurationMs: 2_147_483_647,
  /** An OpenAPI document; the largest public ones have about 15 MB. */
  maxDocumentBytes: 33_554_432,
  /** Values of an OpenAPI document in JSON, counted before it is parsed; the largest public ones have 300,000. */
  maxDocumentJsonMembers: 1_000_000,
  /** The same in YAML, whose parser takes four times as much memory and time for a value. */
  maxDocumentYamlMembers: 500_000,
  /** Aliases in a YAML document. */
  maxAliasEntries: 10_000,
  /** Nesting of an OpenAPI document. */
  maxDocumentDepth: 200,
  /** Values of an OpenAPI document with the aliases of YAML, and then its references, written out: a few hundred bytes can stand for billions. */
  maxDocumentMembers: 5_000_000,
  /** References of which each leads to the next; more are taken for a circle. */
  maxReferenceSteps: 32,
  /** Media types in each list of a Swagger 2 document; every operation gets a copy of its schema for each. Those behind are left out. */
  maxMediaTypeEntries: 8,
  /** The operations and schemas of a document, as its index keeps them; the largest public ones come to two thirds of it. References to one large value, each written out, would else make gigabytes of a small document. */
  maxIndexBytes: 16_777_216,
  /** The schemas that one operation reaches; those beyond it are left out of its description, with a note. An operation that is longer by itself can't be called by its id. */
  maxOperationBytes: 2_097_152,
  /** Descriptions of operations kept in memory, so that repeated calls of one do not read it again. */
  maxRememberedEntries: 256,
  /** Documents in the cache folder; the oldest ones are removed. */
  maxCachedEntries: 32,
  /** Bytes in that folder; the oldest files are removed. */
  maxCacheBytes: 268_435_456,
  /** Age of a document that was fetched from a gateway, after which it is asked for again. */
  documentMaxAgeMs: 86_400_000,
  /** One gateway call unless it says otherwise: connecting, all tries, headers and body together. */
  callTimeoutMs: 8_000,
  /** Decoded bytes of a response that a gateway call keeps; the rest is not read, and the answer says `truncated`. */
  maxBodyBytes: 4_194_304,
  /** Bodies that all running calls of one process hold together until their answers are written; a call that finds no room waits. */
  maxHeldBodyBytes: 8_388_608,
  /** The same body written as a JSON string, where a control character takes six bytes: leaves room in a line for the rest of the answer. */
  maxBodyJsonBytes: 8_388_608,
  /** The first wait before a call is tried again, unless it says otherwise; it doubles with every try. */
  retryBackoffMs: 250,
  /** The longest such wait. */
  maxRetryBackoffMs: 30_000,
  /** Redirects within the gateway's origin that one call follows. */
  maxRedirects: 5,
  /** Compressions around one response body; each more multiplies what a few bytes can unfold to. */
  maxContentCodings: 2,
  /** Connections to the gateway that are open at the same time, unless there are more workers. */
  httpConnections: 64,
  /** How long a connection to the gateway may take to open, whatever the calls that wait for it. */
  httpConnectMs: 30_000,
  /** How long an unused connection to the gateway is kept. */
  httpIdleMs: 30_000,
  /** How much sooner than the server says an unused connection is given up, so that no request meets its end. */
  httpIdleMarginMs: 2_000,
  /** What is read of a connection to the gateway at once; each connection has room for it. */
  httpReadBytes: 65_536,
  /** Names and values of the headers of one response, as Node bounds them; also its trailers, and what stands beside the sizes of its chunks. */
  maxResponseHeadBytes: 16_384,
  /** Fetching an API document from the gateway, one path: documents are larger than answers. */
  documentTimeoutMs: 30_000,
  /** Size of the configuration file; a larger one is something else. */
  maxConfigBytes: 1_048_576,
  /** Length of a token, also of the file it comes from: more does not fit into the headers that servers take. */
  maxTokenBytes: 8_192,
  /** Calls that one rpc process or batch makes at the same time, at most. */
  rpcMaxWorkers: 256,
  /** Calls that may wait for a worker of an rpc process, at most. */
  rpcMaxQueuedMessages: 10_000,
  /** Text of the calls that wait in an rpc process; one that would exceed it finds the queue full. A single call always fits. */
  rpcQueuedBytes: 33_554_432,
  /** Text of the calls that an rpc process reads ahead while its queue is full, so that a `cancel` or `hello` behind them is answered; then it stops reading. The call that reaches the bound is still taken. */
  rpcReadAheadBytes: 1_048_576,
  /** Answers of an rpc process that its host has not read; beyond it nothing is read and no call starts. */
  rpcUnsentBytes: 33_554_432,
  /** An id that every answer has room for; a request with a longer one is refused without it. */
  rpcMaxIdBytes: 2_097_152,
  /** Text that tells what is wrong with a line or its arguments. */
  rpcErrorTextBytes: 200,
  /** Answers that wait behind a `reload_config` for their turn before reading stops. */
  rpcPendingMessages: 64,
  /** Time that a cancelled call has to end by itself, with its request and its times, before it is answered without them. */
  rpcCancelAnswerMs: 250,
  /** How far a batch is looked at for an object that goes over several lines; no formatter writes a longer first line. */
  batchFirstLineBytes: 65_536,
  /** How far an ordered batch runs ahead of its oldest unfinished item. */
  batchHeldEntries: 1_024,
  /** Results that an ordered batch holds back until it is their turn; no item starts beyond it. */
  batchHeldBytes: 33_554_432,
  /** Time for a started rpc process to answer `hello`. */
  hostHandshakeMs: 10_000,
  /** Wait before an rpc process that ended is started again; doubled with each that ends before it answered a call. */
  hostBackoffMs: 100,
  /** The longest such wait. */
  hostMaxBackoffMs: 5_000,
  /** Request body that the demo API takes. */
  demoBodyBytes: 65_536,
  /** Tags, and log entries, that the demo API remembers. */
  demoEntries: 1_000,
  /** The longest answer of the demo API's slow operation. */
  demoDelayMs: 60_000,
  /** Operations that become one tool each; more are found, described and called through three tools, to spare the model's context. */
  maxToolEntries: 40,
  /** JSON Schema of one operation as a model gets it; a longer body schema is left out and said in words. */
  maxToolSchemaChars: 20_000,
  /** Operations that one search by a model returns. */
  maxFoundEntries: 50,
};
