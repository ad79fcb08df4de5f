// ACP v1, part four: permission, cancelling, settings, and the end of the process.

import { toScenarios, type Step } from "../scenario.ts";
import {
  allowed,
  answered,
  asksToAllow,
  asksToReject,
  call,
  cancelled,
  cancelledAnswer,
  during,
  ended,
  ends,
  hello,
  housekeeping,
  isRefused,
  leavesUnlessSlow,
  notify,
  open,
  refused,
  same,
  say,
  selected,
  settled,
  turn,
  turnThatAsks,
  update,
} from "./acp-script.ts";

const theSession = { sessionId: same("session") };
const cancel = notify("session/cancel", theSession);
const unchanged: Step = { expectFacts: { changes: { $length: 0 } } };

/** Ends as cancelled; an agent that still asks is told so. */
const endsCancelled = (id: string): Step => ({
  expect: ended(id, "cancelled"),
  skipping: during(),
  answering: [cancelled()],
  leaving: [leavesUnlessSlow(id)],
});

const questions = toScenarios(
  {
    "permission-allow": {
      title: "a question for permission offers options, and with one that allows the turn goes on to its end",
      requirements: ["ACP-09", "ACP-50"],
      steps: [...turnThatAsks("t", asksToAllow()), { send: selected(same("option")) }, ends("t"), { expectNothing: 300 }],
    },
    "permission-reject": {
      title: "nothing is changed before the answer, nor after one that rejects, and the turn ends once",
      requirements: ["ACP-50", "ACP-51"],
      steps: [
        ...turnThatAsks("t", asksToReject()),
        unchanged,
        { send: selected(same("option")) },
        { expect: settled("t"), skipping: during(), answering: [{ when: asksToReject(), send: selected(same("option")) }, cancelled()] },
        unchanged,
        { expectNothing: 300 },
      ],
    },
    "permission-odd": {
      title: "an option that was not offered is not taken for permission, and the turn ends once",
      requirements: ["ACP-57"],
      additive: true,
      steps: [
        ...turnThatAsks("t"),
        { send: selected("hawser-conform-no-such-option") },
        { expect: settled("t"), skipping: during(), answering: [cancelled()] },
        unchanged,
      ],
    },
    "permission-cancel": {
      title: "a turn that is cancelled while it asks ends as cancelled, nothing is changed, and the session goes on",
      requirements: ["ACP-51", "ACP-52", "ACP-55"],
      steps: [
        ...turnThatAsks("t"),
        cancel,
        { send: cancelledAnswer },
        { expect: ended("t", "cancelled"), skipping: during(), answering: [cancelled()] },
        unchanged,
        ...turn("next"),
      ],
    },
    cancel: {
      title: "a cancel right behind its prompt ends the turn as cancelled, once, and no more of it comes after that",
      requirements: ["ACP-10", "ACP-52", "ACP-53"],
      steps: [...say("t", "slowPrompt"), cancel, endsCancelled("t"), { expectNothing: 300 }],
    },
    "cancel-midway": {
      title: "a cancel after the turn's first words ends it as cancelled, and the session goes on",
      requirements: ["ACP-52", "ACP-53", "ACP-55"],
      steps: [
        ...say("t", "slowPrompt"),
        {
          expect: update({ $regex: "^(?:agent_message_chunk|agent_thought_chunk|tool_call|tool_call_update|plan)$" }),
          skipping: housekeeping,
          answering: [allowed()],
          leaving: [leavesUnlessSlow("t")],
        },
        cancel,
        endsCancelled("t"),
        { expectNothing: 300 },
        ...turn("next"),
      ],
    },
    "cancel-twice": {
      title: "two cancels give one end",
      requirements: ["ACP-10", "ACP-52"],
      steps: [...say("t", "slowPrompt"), cancel, cancel, endsCancelled("t"), { expectNothing: 300 }],
    },
    "cancel-idle": {
      title: "a cancel while no turn runs gets no answer, and the next turn is not cancelled by it",
      requirements: ["ACP-14", "ACP-54"],
      steps: [cancel, { expectNothing: 300 }, ...turn("t"), cancel, { expectNothing: 300 }, ...turn("u")],
    },
    "cancel-unknown": {
      title: "a cancel for a session that there is not gets no answer and does no harm",
      requirements: ["ACP-14", "ACP-54"],
      steps: [notify("session/cancel", { sessionId: "hawser-conform-no-such-session" }), { expectNothing: 300 }, ...turn("t")],
    },
    "cancel-request": {
      title: "$/cancel_request for a prompt ends it as cancelled, or with -32800",
      requirements: ["ACP-56"],
      additive: true,
      steps: [
        ...turnThatAsks("t"),
        notify("$/cancel_request", { requestId: "t" }),
        {
          expect: { $either: [ended("t", "cancelled"), refused("t", -32_800)] },
          skipping: during(),
          withinMs: 5_000,
        },
      ],
    },
  },
  { before: [...hello(), ...open()] },
);

// --- settings

const otherValue = { $some: { value: { $not: same("current"), $bind: "next" } } };
const anOption = {
  type: "select",
  id: { $bind: "option" },
  currentValue: { $bind: "current" },
  options: { $either: [otherValue, { $some: { options: otherValue } }] },
};
const needsOption: Step = {
  given: { opened: { configOptions: { $some: anOption } } },
  otherwise: { outcome: "unsupported", reason: "it has no configOptions with a choice" },
};
const setOption = (id: string, value: string): Step[] => [
  call(id, "session/set_config_option", { ...theSession, configId: same("option"), value: same(value) }),
  { expect: answered(id, { configOptions: { $some: { id: same("option"), currentValue: same(value) } } }), skipping: during() },
];

const needsMode: Step = {
  given: {
    opened: { modes: { currentModeId: { $bind: "current" }, availableModes: { $some: { id: { $not: same("current"), $bind: "next" } } } } },
  },
  otherwise: { outcome: "unsupported", reason: "it has no modes with a choice" },
};
const setMode = (id: string, mode: string): Step[] => [
  call(id, "session/set_mode", { ...theSession, modeId: same(mode) }),
  // Some say in words that they changed.
  { expect: answered(id), skipping: during() },
];

const settings = toScenarios(
  {
    "config-options": {
      title: "session/set_config_option is answered with the list of options and the new value in it",
      requirements: ["ACP-60"],
      steps: [needsOption, ...setOption("there", "next"), ...setOption("back", "current")],
    },
    "config-unknown": {
      title: "a config option that there is not, and a value that an option does not have, are refused",
      requirements: ["ACP-61"],
      steps: [
        needsOption,
        ...isRefused("1", "session/set_config_option", { ...theSession, configId: "hawser-conform-none", value: "x" }),
        ...isRefused("2", "session/set_config_option", { ...theSession, configId: same("option"), value: "hawser-conform-none" }),
      ],
    },
    modes: {
      title: "session/set_mode is answered with an object",
      requirements: ["ACP-62"],
      steps: [needsMode, ...setMode("there", "next"), ...setMode("back", "current")],
    },
    "mode-unknown": {
      title: "a mode that there is not is refused",
      requirements: ["ACP-63"],
      steps: [needsMode, ...isRefused("1", "session/set_mode", { ...theSession, modeId: "hawser-conform-none" })],
    },
  },
  { before: [...hello(), ...open()] },
);

// --- the end

const exits: Step = { expectExit: { code: { $type: "integer" } }, withinMs: 10_000 };

const endings = toScenarios(
  {
    "end-of-input": {
      title: "the end of its input ends the process",
      requirements: ["ACP-70"],
      steps: [{ endInput: true }, exits],
    },
    "end-of-input-in-turn": {
      title: "the end of its input ends the process also while a turn waits for permission",
      requirements: ["ACP-70"],
      steps: [...turnThatAsks("t"), { endInput: true }, { expect: settled("t"), skipping: during(), orEnd: true }, exits],
    },
    terminate: {
      title: "SIGTERM ends the process",
      requirements: ["ACP-71"],
      steps: [
        { signal: "SIGTERM" },
        { expectExit: { $either: [{ code: { $type: "integer" } }, { signal: "SIGTERM" }] }, withinMs: 10_000 },
      ],
    },
  },
  { additive: true, before: [...hello(), ...open()] },
);

export const acpQuestionScenarios = [...questions, ...settings, ...endings];
