// The rows in the order in which they are measured and printed. A new row is one file under `rows/`
// and one line here; child programs that it needs go to `programs/`, what it is compared with to `peers/`.

import type { Row } from "./row.ts";
import { acpTurn } from "./rows/acp-turn.ts";
import { agentMemory } from "./rows/agent-memory.ts";
import { agentStream } from "./rows/agent-stream.ts";
import { bridgeInFlight, bridgeParallel, bridgeRoundTrip } from "./rows/bridge-calls.ts";
import { bridgeMemory } from "./rows/bridge-memory.ts";
import { bridgeStart } from "./rows/bridge-start.ts";
import { commandStart } from "./rows/command-start.ts";
import { conversationSearch } from "./rows/conversation-search.ts";
import { fencedAppend } from "./rows/fenced-append.ts";
import { decodeChunkSizes } from "./rows/decode-chunk-sizes.ts";
import { decodeNdjson } from "./rows/decode-ndjson.ts";
import { echoInFlight } from "./rows/echo-in-flight.ts";
import { echoRoundTrip } from "./rows/echo-round-trip.ts";
import { fleetCalls } from "./rows/fleet-calls.ts";
import { fleetBatch } from "./rows/fleet-batch.ts";
import { fleetConversations } from "./rows/fleet-conversations.ts";
import { growth } from "./rows/growth.ts";
import { openapiIndex } from "./rows/openapi-index.ts";
import { rpcCalls, rpcHello } from "./rows/rpc-calls.ts";
import { rpcMemory } from "./rows/rpc-memory.ts";
import { shellLong } from "./rows/shell-long.ts";
import { shellPage } from "./rows/shell-page.ts";
import { stalledReaderMemory } from "./rows/stalled-reader-memory.ts";
import { streamPieces } from "./rows/stream-pieces.ts";
import { undo } from "./rows/undo.ts";

export const rows: readonly Row[] = [
  decodeNdjson,
  decodeChunkSizes,
  echoRoundTrip,
  echoInFlight,
  streamPieces,
  stalledReaderMemory,
  bridgeStart,
  bridgeRoundTrip,
  bridgeInFlight,
  bridgeParallel,
  bridgeMemory,
  fleetCalls,
  rpcHello,
  rpcCalls,
  rpcMemory,
  fleetBatch,
  fleetConversations,
  commandStart,
  openapiIndex,
  agentStream,
  acpTurn,
  agentMemory,
  conversationSearch,
  fencedAppend,
  undo,
  shellPage,
  shellLong,
  growth,
];
