// rpc, part one: the handshake, what a request may look like, and what an answer always is.

import type { Scenario, Step } from "../scenario.ts";
import { failed, request, succeeded } from "./rpc-script.ts";

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

/** Numbers that a program which keeps them as numbers would write in another way. */
const numberTexts = ["9007199254740993", "-9007199254740993", "1.0", "1e2", "-0", "1e400", "0.1000"];

const sameSource = (text: string): readonly Step[] => [
  { sendBytes: { utf8: `{"id":${text},"op":"hello"}\n` } },
  { expect: { id: { $source: text }, ok: true } },
];

const withoutId = (line: string): readonly Step[] => [{ sendBytes: { utf8: `${line}\n` } }, { expect: succeeded({ $absent: true }) }];

export const rpcEnvelopeScenarios: readonly Scenario[] = [
  {
    id: "hello",
    title: "the contract's own example line is answered with protocol, versions, features and operations",
    requirements: ["R85", "R86", "R89", "R90", "R91", "R96", "R97", "R98", "R99", "R100", "R101", "R107"],
    steps: [{ sendBytes: { utf8: seedLine } }, { expect: succeeded("req-1", { data: helloData }) }],
  },
  {
    id: "hello-bare",
    title: "hello needs no args",
    requirements: ["R84", "R91"],
    steps: [request("bare", "hello"), { expect: succeeded("bare", { data: helloData }) }],
  },
  {
    id: "hello-ops",
    title: "the list of operations holds every operation of the contract",
    requirements: ["R101"],
    steps: contractOps.flatMap((op): Step[] => [request(op, "hello"), { expect: succeeded(op, { data: { ops: { $some: op } } }) }]),
  },
  {
    id: "hello-features",
    title: "the features have the names that hosts of igw look for",
    requirements: ["R100"],
    additive: true,
    steps: [
      request("f", "hello"),
      { expect: succeeded("f", { data: { features: Object.fromEntries(originFeatures.map((name) => [name, true])) } }) },
    ],
  },
  {
    id: "capability",
    title: "capability answers whether one feature is there, and without a name with all of them",
    requirements: ["R92", "R100"],
    steps: [
      request("one", "capability", { name: "rpcWorkers" }),
      { expect: succeeded("one", { data: { name: "rpcWorkers", supported: true } }) },
      request("none", "capability", { name: "no-such-feature" }),
      { expect: succeeded("none", { data: { name: "no-such-feature", supported: false } }) },
      request("all", "capability"),
      { expect: succeeded("all", { data: { features: { rpcWorkers: true } } }) },
    ],
  },
  {
    id: "capability-case",
    title: "a feature's name is matched without case",
    requirements: ["R92"],
    additive: true,
    steps: [request("one", "capability", { name: "RPCWORKERS" }), { expect: succeeded("one", { data: { supported: true } }) }],
  },
  {
    id: "ids",
    title: "an id of any JSON type comes back as it was given",
    requirements: ["R82", "G6"],
    steps: ["text", "", " ", "💥 é", 0, 1, -1.5, 4_294_967_296, true, false, {}, { a: [1] }, [], [null]].flatMap(sameId),
  },
  {
    id: "ids-absent",
    title: "without an id, or with null, the answer has no id",
    requirements: ["R82"],
    steps: [...withoutId('{"op":"hello"}'), ...withoutId('{"id":null,"op":"hello"}')],
  },
  {
    id: "ids-verbatim",
    title: "a number as id comes back byte for byte, whatever its size",
    requirements: ["H26", "G6"],
    additive: true,
    steps: numberTexts.flatMap(sameSource),
  },
  {
    id: "op-missing",
    title: "a request without an operation is a usage error, and the session lives",
    requirements: ["R83", "R87", "R90"],
    steps: [
      { sendBytes: { utf8: "{}\n" } },
      { expect: failed({ $absent: true }, 2) },
      { send: { id: "none" } },
      { expect: failed("none", 2) },
      request("empty", ""),
      { expect: failed("empty", 2) },
      { expectAlive: true },
    ],
  },
  {
    id: "op-unknown",
    title: "an unknown operation is a usage error, and the session lives",
    requirements: ["R83", "R87", "R90", "RPC-17"],
    steps: [request("what", "no_such_operation", { a: 1 }), { expect: failed("what", 2) }, { expectAlive: true }],
  },
  {
    id: "op-case",
    title: "an operation's name is matched without case and spaces around it",
    requirements: ["RPC-17"],
    additive: true,
    steps: [request("loud", " Hello "), { expect: succeeded("loud", { data: helloData }) }],
  },
  {
    id: "op-type",
    title: "members of a wrong type are a usage error with the id, and the session lives",
    requirements: ["RPC-17"],
    additive: true,
    steps: [
      ...[5, null, [], {}].flatMap((op): Step[] => [{ send: { id: "type", op } }, { expect: failed("type", 2) }]),
      ...[5, "text", []].flatMap((args): Step[] => [request("args", "call", args), { expect: failed("args", 2) }]),
      { expectAlive: true },
    ],
  },
  {
    id: "unknown-members",
    title: "members that the contract does not name are ignored",
    requirements: ["R106"],
    steps: [
      { send: { zzz: { id: "wrong" }, id: "right", ok: false, op: "hello", trace: [1] } },
      { expect: succeeded("right", { data: helloData }) },
    ],
  },
];
