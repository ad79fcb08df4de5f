// Serves the echo protocol on stdin and stdout, with the guards, signals and flushing of every
// process that we ship.

import { ndjson, runStdio, serveEcho } from "@hawser/wire/internal/node";

await runStdio({ codec: ndjson, serve: (transport, lifecycle) => serveEcho(transport, { lifecycle }) });
