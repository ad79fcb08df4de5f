// A runtime whose lines are written and read elsewhere: it moves bytes between its stdin and stdout and a socket.

import { connect } from "node:net";

const socket = connect(process.argv[2] ?? "");
socket.on("close", () => process.exit(0));
socket.on("error", () => process.exit(1));
process.stdin.pipe(socket);
socket.pipe(process.stdout);
