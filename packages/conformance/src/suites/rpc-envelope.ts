// rpc, part one: the handshake, what a request may look like, and what an answer always is.

import { toScenarios, type Step } from "../scenario.ts";
import { failed, fails, request, succeeded, succeeds } from "./rpc-script.ts";

const seedLine = '{"id":"req-1","op":"hello","args":{"name":"rpcWorkers"}}\n';
const semver = { $regex: "^\\d+\\.\\d+\\.\\d+$" };

const helloData = {
  protocol: "igw-rpc-v1",
  protocolSemver: semver,
  minHostSemver: semver,
  version: { $type: "string", $length: { min: 1 } },
  features: { $type: "object" },
  ops: { $type: "array" },
};

const contractOps = ["hello", "capability", "call", "reload_config", "shutdown"];
const originFeatures = [
  ...["rpcWorkers", "rpcQueueSize", "sharedCallCoreV1", "callStatsV1", "hello"],
  ...["capability", "call", "cancel", "reloadConfig", "shutdown"],
];

const sameId = (id: unknown): readonly Step[] => [request(id, "hello"), { expect: succeeded({ $equals: id }) }];

/** Numbers that come back in another form if a program parses and prints them. */
const numberTexts = ["9007199254740993", "-9007199254740993", "1.0", "1e2", "-0", "1e400", "0.1000"];

const sameSource = (text: string): readonly Step[] => [
  { sendBytes: { utf8: `{"id":${text},"op":"hello"}\n` } },
  { expect: { id: { $source: text }, ok: true } },
];

const withoutId = (line: string): readonly Step[] => [{ sendBytes: { utf8: `${line}\n` } }, { expect: succeeded({ $absent: true }) }];

export const rpcEnvelopeScenarios = toScenarios({
  hello: {
    title: "the contract's own example line is answered with protocol, versions, features and operations",
    requirements: ["R85", "R86", "R89", "R90", "R91", "R96", "R97", "R98", "R99", "R100", "R101", "R107"],
    steps: [{ sendBytes: { utf8: seedLine } }, { expect: succeeded("req-1", { data: helloData }) }],
  },
  "hello-bare": {
    title: "hello needs no args",
    requirements: ["R84", "R91"],
    steps: succeeds(request("bare", "hello"), { data: helloData }),
  },
  "hello-ops": {
    title: "the list of operations holds every operation of the contract",
    requirements: ["R101"],
    steps: contractOps.flatMap((op) => succeeds(request(op, "hello"), { data: { ops: { $some: op } } })),
  },
  "hello-features": {
    title: "the features have the names that hosts of igw look for",
    requirements: ["R100"],
    additive: true,
    steps: succeeds(request("f", "hello"), { data: { features: Object.fromEntries(originFeatures.map((name) => [name, true])) } }),
  },
  capability: {
    title: "capability says whether one feature is supported, and without a name lists all of them",
    requirements: ["R92", "R100"],
    steps: [
      ...succeeds(request("one", "capability", { name: "rpcWorkers" }), { data: { name: "rpcWorkers", supported: true } }),
      ...succeeds(request("none", "capability", { name: "no-such-feature" }), { data: { name: "no-such-feature", supported: false } }),
      ...succeeds(request("all", "capability"), { data: { features: { rpcWorkers: true } } }),
    ],
  },
  "capability-case": {
    title: "a feature's name is matched in any letter case",
    requirements: ["R92"],
    additive: true,
    steps: succeeds(request("one", "capability", { name: "RPCWORKERS" }), { data: { supported: true } }),
  },
  ids: {
    title: "an id of any JSON type comes back as it was given",
    requirements: ["R82", "G6"],
    steps: ["text", "", " ", "💥 é", 0, 1, -1.5, 4_294_967_296, true, false, {}, { a: [1] }, [], [null]].flatMap(sameId),
  },
  "ids-absent": {
    title: "without an id, or with null, the answer has no id",
    requirements: ["R82"],
    steps: [...withoutId('{"op":"hello"}'), ...withoutId('{"id":null,"op":"hello"}')],
  },
  "ids-verbatim": {
    title: "a number as id comes back byte for byte, whatever its size",
    requirements: ["H26", "G6"],
    additive: true,
    steps: numberTexts.flatMap(sameSource),
  },
  "op-missing": {
    title: "a request without an operation is a usage error, and the session lives",
    requirements: ["R83", "R87", "R90"],
    steps: [
      { sendBytes: { utf8: "{}\n" } },
      { expect: failed({ $absent: true }, 2) },
      { send: { id: "none" } },
      { expect: failed("none", 2) },
      ...fails(request("empty", ""), 2),
      { expectAlive: true },
    ],
  },
  "op-unknown": {
    title: "an unknown operation is a usage error, and the session lives",
    requirements: ["R83", "R87", "R90", "RPC-17"],
    steps: [...fails(request("what", "no_such_operation", { a: 1 }), 2), { expectAlive: true }],
  },
  "op-case": {
    title: "an operation's name is matched in any letter case, without surrounding spaces",
    requirements: ["RPC-17"],
    additive: true,
    steps: succeeds(request("loud", " Hello "), { data: helloData }),
  },
  "op-type": {
    title: "members of the wrong type are a usage error with the id, and the session lives",
    requirements: ["RPC-17"],
    additive: true,
    steps: [
      ...[5, null, [], {}].flatMap((op): Step[] => [{ send: { id: "type", op } }, { expect: failed("type", 2) }]),
      ...[5, "text", []].flatMap((args) => fails(request("args", "call", args), 2)),
      { expectAlive: true },
    ],
  },
  "unknown-members": {
    title: "members that the contract doesn't define are ignored",
    requirements: ["R106"],
    steps: [
      { send: { zzz: { id: "wrong" }, id: "right", ok: false, op: "hello", trace: [1] } },
      { expect: succeeded("right", { data: helloData }) },
    ],
  },
});
