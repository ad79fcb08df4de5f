// A parent, part one: its configuration, the two files that it names, and their removal at its end.

import { toScenarios, type Step } from "../scenario.ts";
import { call, toolNames } from "./parent-script.ts";

const ends: readonly Step[] = [
  { signal: "SIGTERM" },
  { expectFacts: { socket: { $absent: true }, schema: { $absent: true }, leftovers: [] } },
  { expectExit: { $any: true } },
];

/** They are there with the configuration: there is nothing to wait for. */
const seen = (facts: object): Step => ({ expectFacts: facts, withinMs: 1 });

export const parentFileScenarios = toScenarios({
  config: {
    title: "the configuration describes a stdio server with the two paths last, and holds no schemas",
    requirements: ["R37", "R44", "R60"],
    steps: [
      seen({
        config: { type: "stdio", command: { $regex: "." }, args: { $length: { min: 2 } } },
        configText: { $regex: "^(?![\\s\\S]*input_schema)" },
      }),
      { expectAlive: true },
    ],
  },
  "socket-file": {
    title: "the socket has the contract's name and is private to its owner, whatever the umask",
    requirements: ["R1", "R48", "R49"],
    setup: { umask: 0 },
    steps: [seen({ socket: { name: { $regex: "^claudecode_ipc_[0-9a-f]{32}\\.sock$" }, type: "socket", mode: "600" } })],
  },
  "schema-file": {
    title: "the schema file exists when the configuration is printed, has the contract's name and is private to its owner",
    requirements: ["R40", "R41", "R45"],
    setup: { umask: 0 },
    steps: [seen({ schema: { name: { $regex: "^claudecode_ipc_schema_[^/]*$" }, type: "file", mode: "600" } })],
  },
  "schema-content": {
    title: "the schema file is an array in which every tool has its name, its description and its input_schema",
    requirements: ["R38", "R39"],
    steps: [
      seen({
        schema: {
          value: { $type: "array", $length: toolNames.length },
          byName: Object.fromEntries(
            toolNames.map((name) => [name, { name, description: { $type: "string" }, input_schema: { $type: "object" } }]),
          ),
        },
      }),
    ],
  },
  terminate: {
    title: "SIGTERM ends the parent and removes both files",
    requirements: ["R42", "R50", "R51"],
    steps: [{ expectAlive: true }, ...ends],
  },
  "terminate-busy": {
    title: "SIGTERM removes both files even while a call runs",
    requirements: ["R42", "R47", "R50"],
    steps: [
      { connect: "busy" },
      call("wait", { ms: 3_600_000 }, { on: "busy" }),
      // By the time this is answered, the call runs or is about to.
      { expectAlive: true },
      ...ends,
      { expect: { $any: true }, on: "busy", orEnd: true },
    ],
  },
  "kept-while-used": {
    title: "both files stay while connections come and go",
    requirements: ["R41", "R43"],
    steps: [
      { connect: "one" },
      call("echo", {}, { on: "one" }),
      { expect: { result: { $any: true } }, on: "one" },
      { drop: "one" },
      { expectAlive: true },
      seen({ socket: { type: "socket" }, schema: { type: "file" } }),
    ],
  },
});
