// The agent protocol, part four: room in a model's context, budgets, plans. What goes beyond the contract; a runtime without it isn't faulty.

import { toScenarios } from "../scenario.ts";
import {
  ask,
  asksFirst,
  done,
  during,
  endsWell,
  eventually,
  failed,
  fails,
  inConversation,
  isDone,
  ready,
  returns,
  say,
  turn,
  waitingTurn,
} from "./agent-script.ts";

const conversation = { conversationId: "conv-1" };
const count = { $number: { min: 0, max: 1_000_000_000 } };
const compaction = { ...conversation, messages: 2, tokensBefore: count, tokensAfter: count };
const askingForSummaries = { include: ["summary"] };
const withBudget = (budget: object): object => ({ metadata: { budget } });

export const agentContextScenarios = toScenarios(
  {
    compaction: {
      title: "compact_conversation is answered by one compaction, then done; every message stays, and a host that asks is told the summary",
      requirements: ["H37"],
      steps: [
        ...turn("t1", "Hello", inConversation("conv-1")),
        ...turn("t2", "Hello again", inConversation("conv-1")),
        ask("c", "compact_conversation", conversation),
        { expect: { type: "compaction", id: "c", data: compaction }, skipping: { type: "progress", id: "c" }, withinMs: 30_000 },
        { expect: done("c") },
        ...returns({ id: "o", kind: "load_conversation", ...conversation }, "conversation", {
          ...conversation,
          messages: [{ role: "user" }, { role: "assistant", parts: [{ type: "text" }] }, { role: "user" }, { role: "assistant" }],
        }),
        ...returns({ id: "s", kind: "load_conversation", ...conversation, ...askingForSummaries }, "conversation", {
          ...conversation,
          messages: [
            { role: "user" },
            { role: "assistant", parts: { $some: { type: "summary", text: { $type: "string" } } } },
            { role: "user" },
            { role: "assistant" },
          ],
        }),
        ...turn("t3", "Hello once more", inConversation("conv-1")),
      ],
    },
    "compaction-nothing": {
      title: "compact_conversation with nothing to summarise is one error",
      requirements: ["H37"],
      steps: [...fails("c", "compact_conversation", conversation), { expectAlive: true }],
    },
    "compaction-busy": {
      title: "compact_conversation while a turn of the conversation runs is one error, and the turn is unharmed",
      requirements: ["H34"],
      steps: [
        ...waitingTurn("t", inConversation("conv-1")),
        ...fails("c", "compact_conversation", conversation, { error: { $regex: "busy" } }),
        ...isDone("x", "cancel", { target: "nobody" }),
      ],
    },
    "budget-tokens": {
      title: "a turn that needs more tokens than its budget ends with one error, and the next one works",
      requirements: ["H37", "R131"],
      steps: [
        say("t", "Hello", withBudget({ tokens: 1 })),
        eventually("t", failed("t", { code: "budget_exceeded" })),
        ...turn("next", "Hello"),
      ],
    },
    "budget-time": {
      title: "a turn that takes longer than its budget ends with one error",
      requirements: ["H37", "R131"],
      steps: [
        // A turn that asks would wait as long as we like; a busy machine may not even get to the question.
        say("t", asksFirst, withBudget({ ms: 1_000 })),
        {
          expect: failed("t", { code: "budget_exceeded" }),
          skipping: { $either: [during("t"), { type: "permission_request", id: "t" }] },
          withinMs: 30_000,
        },
        { expectAlive: true },
      ],
    },
    "budget-malformed": {
      title: "a budget that is no number is refused",
      requirements: ["R146"],
      steps: [say("t", "Hello", withBudget({ tokens: "many" })), { expect: failed("t") }, { expectAlive: true }],
    },
    effort: {
      title: "a message may say how much the model is to think; an unknown word is refused",
      requirements: ["R146"],
      steps: [
        ...turn("t1", "Hello", { metadata: { effort: "high" } }),
        say("t2", "Hello", { metadata: { effort: "very" } }),
        { expect: failed("t2") },
      ],
    },
    plan: {
      title: "a plan is told whole, after the result of its tool",
      requirements: ["H37"],
      steps: [
        say("t", 'plan "read the tests, fix the parser"'),
        eventually("t", { type: "tool_result", id: "t", data: { toolName: "update_plan" } }),
        eventually("t", {
          type: "plan",
          id: "t",
          data: {
            entries: [
              { content: "read the tests", status: "pending" },
              { content: "fix the parser", status: "pending" },
            ],
          },
        }),
        endsWell("t"),
      ],
    },
  },
  { additive: true, before: [ready] },
);
