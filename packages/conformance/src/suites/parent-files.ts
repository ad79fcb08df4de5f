// A parent, part one: its configuration, the two files that it names, and that they go with it.

import type { Scenario, Step } from "../scenario.ts";
import { call, callTool, toolNames } from "./parent-script.ts";

const socketPattern = "claudecode_ipc_[0-9a-f]{32}\\.sock$";
const schemaPattern = "claudecode_ipc_schema_[^/]*$";

const ends: readonly Step[] = [
  { signal: "SIGTERM" },
  { expectFacts: { socket: { $absent: true }, schema: { $absent: true }, leftovers: [] } },
];

export const parentFileScenarios: readonly Scenario[] = [
  {
    id: "config",
    title: "the configuration starts a stdio server with the two paths last, and holds no schemas",
    requirements: ["R37", "R44", "R60"],
    steps: [
      {
        expectFacts: {
          config: { type: "stdio", command: { $regex: "." }, args: { $length: { min: 2 } } },
          configText: { $regex: "^(?![\\s\\S]*input_schema)" },
        },
        withinMs: 1,
      },
      { expectAlive: true },
    ],
  },
  {
    id: "socket-file",
    title: "the socket has the contract's name and is for its owner only, whatever the umask",
    requirements: ["R1", "R48", "R49"],
    setup: { umask: 0 },
    steps: [{ expectFacts: { socket: { name: { $regex: `^${socketPattern}` }, type: "socket", mode: "600" } }, withinMs: 1 }],
  },
  {
    id: "schema-file",
    title: "the schema file is there with the configuration, has the contract's name and is for its owner only",
    requirements: ["R40", "R41", "R45"],
    setup: { umask: 0 },
    steps: [{ expectFacts: { schema: { name: { $regex: `^${schemaPattern}` }, type: "file", mode: "600" } }, withinMs: 1 }],
  },
  {
    id: "schema-content",
    title: "the schema file is an array in which every tool has its name, its description and its input_schema",
    requirements: ["R38", "R39"],
    steps: [
      {
        expectFacts: {
          schema: {
            value: { $type: "array", $length: toolNames.length },
            byName: Object.fromEntries(
              toolNames.map((name) => [name, { name, description: { $type: "string" }, input_schema: { $type: "object" } }]),
            ),
          },
        },
        withinMs: 1,
      },
    ],
  },
  {
    id: "terminate",
    title: "SIGTERM ends the parent and removes both files",
    requirements: ["R42", "R50", "R51"],
    steps: [{ expectAlive: true }, ...ends, { expectExit: { $any: true } }],
  },
  {
    id: "terminate-busy",
    title: "SIGTERM removes both files also while a call runs",
    requirements: ["R42", "R47", "R50"],
    steps: [
      { connect: "busy" },
      call("wait", { ms: 3_600_000 }, { on: "busy" }),
      // By the time that this is answered, the call runs or is about to.
      { expectAlive: true },
      ...ends,
      { expectExit: { $any: true } },
      { expect: { $any: true }, on: "busy", orEnd: true },
    ],
  },
  {
    id: "kept-while-used",
    title: "both files stay while connections come and go",
    requirements: ["R41", "R43"],
    steps: [
      { connect: "one" },
      { send: callTool("echo"), on: "one" },
      { expect: { result: { $any: true } }, on: "one" },
      { drop: "one" },
      { expectAlive: true },
      { expectFacts: { socket: { type: "socket" }, schema: { type: "file" } }, withinMs: 1 },
    ],
  },
];
