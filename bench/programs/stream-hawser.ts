// Serves the echo protocol on stdin and stdout, as every process that we ship serves its own.

import { ndjson, runStdio, serveEcho } from "@hawser/wire/node";

await runStdio({ codec: ndjson, serve: (transport, lifecycle) => serveEcho(transport, { lifecycle }) });
