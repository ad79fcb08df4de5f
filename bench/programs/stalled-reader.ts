// Receives messages on stdin through our transport and never takes one out, like a host that hangs.
// A pipe that is not read does not keep a process alive, nor tell of its end: a timer and a look at
// the parent do.

import { createStreamTransport, ndjson, watchParent } from "@hawser/wire/internal/node";
import { PassThrough } from "node:stream";

createStreamTransport({ readable: process.stdin, writable: new PassThrough(), codec: ndjson });
process.stdin.once("end", () => process.exit(0));
setInterval(() => {}, 60_000);
watchParent(() => process.exit(0));
