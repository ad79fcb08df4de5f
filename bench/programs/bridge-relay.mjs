// The least that a bridge can be: lines in, frames on to a program that sends each back, lines out, over connections that carry one
// call at a time, as the contract demands. No library, no limits, no cancel, no checks: what is left are the processes that every
// call wakes, so no bridge can be faster. Arguments: the socket of `echo-bare`, and the schema file of the session beside it.

import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [socketPath = "", schemaPath = ""] = process.argv.slice(2);
/** @type {{ name: string, description: string, input_schema: { type: "object" } }[]} */
const schemas = JSON.parse(readFileSync(schemaPath, "utf8"));
const tools = schemas.map(({ name, description, input_schema: inputSchema }) => ({ name, description, inputSchema }));

/** @typedef {{ id: unknown, params: { name: string, arguments: { text: string, ms: number } } }} Call */
/** @typedef {(call: Call) => void} Connection */
/** @type {Call[]} */
const waiting = [];
/** @type {Connection[]} */
const idle = Array.from({ length: 8 }, open);

/** @returns {Connection} */
function open() {
  const socket = connect(socketPath);
  let held = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const end = held.length < 4 ? Infinity : 4 + held.readUInt32BE();
    if (held.length < end) return;
    /** @type {Call} */
    const call = JSON.parse(held.toString("utf8", 4, end));
    held = Buffer.alloc(0);
    if (call.params.name === "sleep") setTimeout(answer, call.params.arguments.ms, call);
    else answer(call);
  });

  /** @param {Call} call */
  function send(call) {
    const frame = Buffer.from(`0000${JSON.stringify(call)}`);
    frame.writeUInt32BE(frame.length - 4);
    socket.write(frame);
  }

  /** @param {Call} call */
  function answer({ id, params }) {
    reply(id, { content: [{ type: "text", text: params.arguments.text }] });
    const next = waiting.shift();
    if (next) send(next);
    else idle.push(send);
  }
  return send;
}

/** @param {unknown} id @param {object} result */
const reply = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);

/** @param {{ id: unknown, method: string, params: any }} message */
function receive({ id, method, params }) {
  if (method === "tools/call") {
    const send = idle.pop();
    if (send) send({ id, params });
    else waiting.push({ id, params });
  } else if (method === "tools/list") {
    reply(id, { tools });
  } else if (method === "initialize") {
    const { protocolVersion } = params;
    reply(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "relay", version: "1.0.0" } });
  }
}

let heldLine = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (heldLine + text).split("\n");
  heldLine = lines.pop() ?? "";
  for (const line of lines) receive(JSON.parse(line));
});
process.stdin.once("end", () => process.exit(0));
