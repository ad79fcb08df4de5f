// The least that a bridge can be: a server on the official library that passes every call to the program
// behind the socket with nothing but `net` and JSON, over connections that carry one call at a time. No
// limits, no cancel, no checks. What our bridge takes longer than this is its own.
// Arguments: the socket and the schema file of the session.

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [socketPath = "", schemaPath = ""] = process.argv.slice(2);
/** @type {{ name: string, description: string, input_schema: { type: "object" } }[]} */
const schemas = JSON.parse(readFileSync(schemaPath, "utf8"));
const tools = schemas.map(({ name, description, input_schema: inputSchema }) => ({ name, description, inputSchema }));

/** @typedef {(params: object) => Promise<{ result: { content: [{ type: "text", text: string }] } }>} Connection */
/** @type {Connection[]} */
const idle = [];
/** @type {((connection: Connection) => void)[]} */
const waiting = [];
const maxConnections = 8;
let connections = 0;

/** @returns {Connection} */
function open() {
  connections++;
  const socket = connect(socketPath);
  /** @type {(answer: any) => void} */
  let resolveAnswer = () => {};
  let held = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const length = held.length < 4 ? Infinity : held.readUInt32BE();
    if (held.length < 4 + length) return;
    const text = held.toString("utf8", 4, 4 + length);
    held = Buffer.alloc(0);
    resolveAnswer(JSON.parse(text));
  });
  return (params) => {
    const payload = Buffer.from(`0000${JSON.stringify({ method: "call_tool", params })}`);
    payload.writeUInt32BE(payload.length - 4);
    socket.write(payload);
    return new Promise((resolve) => {
      resolveAnswer = resolve;
    });
  };
}

/** @returns {Connection | Promise<Connection>} */
const acquire = () => idle.pop() ?? (connections < maxConnections ? open() : new Promise((resolve) => waiting.push(resolve)));

/** @param {object} params */
async function relay(params) {
  const connection = await acquire();
  const { result } = await connection(params);
  const next = waiting.shift();
  if (next) next(connection);
  else idle.push(connection);
  return result;
}

serveStdio(() => {
  const server = new Server({ name: "bare", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", ({ params }) => relay({ name: params.name, arguments: params.arguments ?? {} }));
  return server;
});
process.stdin.once("end", () => process.exit(0));
