// The agent protocol, part four: what turns change in files, listed and taken back. The scenarios use the English that the offline model
// understands.

import { toScenarios } from "../scenario.ts";
import { decides, done, fails, inConversation, isDone, ready, returns, waitingTurn } from "./agent-script.ts";

const conversation = { conversationId: "conv-1" };
const path = "hawser-conform-note.txt";
/** Nothing is written where the runtime was started. */
const works = isDone("w", "set_workspace", { ...conversation, folders: [{ $same: "workFolder" }] });
const writes = (id: string, text: string) => [
  ...waitingTurn(id, inConversation("conv-1"), `write "${text}" to ${path}`),
  ...decides(id, "allow", done(id)),
];

export const agentChangeScenarios = toScenarios(
  {
    "changes-none": {
      title: "a conversation that has changed nothing lists no changes, and has nothing to revert",
      requirements: ["H37"],
      steps: [
        ...works,
        ...returns({ id: "l", kind: "list_changes", ...conversation }, "changes", { changes: [] }),
        ...returns({ id: "r", kind: "revert_changes", ...conversation }, "reverted", { reverted: [], conflicts: [] }),
      ],
    },
    "changes-listed": {
      title: "a file that a turn has made is listed under its request, and with its diff where that is asked for",
      requirements: ["H37"],
      steps: [
        ...works,
        ...writes("t", "hello"),
        ...returns({ id: "l1", kind: "list_changes", ...conversation }, "changes", {
          changes: [{ path, change: "created", requestId: "t", additions: 1, deletions: 0, diff: { $absent: true } }],
        }),
        ...returns({ id: "l2", kind: "list_changes", ...conversation, requestId: "t", diff: true }, "changes", {
          changes: [{ path, diff: { $regex: "^--- /dev/null\\n\\+\\+\\+ b/.*\\n@@ .*\\n\\+hello" } }],
        }),
        ...returns({ id: "l3", kind: "list_changes", ...conversation, requestId: "nobody" }, "changes", { changes: [] }),
        ...returns({ id: "r", kind: "revert_changes", ...conversation, paths: [path] }, "reverted", { reverted: [path], conflicts: [] }),
      ],
    },
    "changes-reverted": {
      title: "a revert takes a turn back, is a change of its own, and can be reverted",
      requirements: ["H37"],
      steps: [
        ...works,
        ...writes("t", "hello"),
        ...returns({ id: "r1", kind: "revert_changes", ...conversation, requestId: "t" }, "reverted", { reverted: [path], conflicts: [] }),
        ...returns({ id: "l1", kind: "list_changes", ...conversation }, "changes", {
          changes: [
            { path, requestId: "t", reverted: true },
            { path, change: "deleted", requestId: "r1", revert: true, reverted: { $absent: true } },
          ],
        }),
        ...returns({ id: "r2", kind: "revert_changes", ...conversation, requestId: "r1" }, "reverted", { reverted: [path], conflicts: [] }),
        ...returns({ id: "l2", kind: "list_changes", ...conversation, requestId: "t" }, "changes", {
          changes: [{ path, reverted: { $absent: true } }],
        }),
        ...returns({ id: "r3", kind: "revert_changes", ...conversation, requestId: "r2" }, "reverted", { reverted: [path], conflicts: [] }),
      ],
    },
    "changes-conflict": {
      title: "a file that was changed again since is a conflict with a reason, and so is one that was never changed",
      requirements: ["H37"],
      steps: [
        ...works,
        ...writes("t1", "one"),
        ...writes("t2", "two"),
        ...returns({ id: "r1", kind: "revert_changes", ...conversation, requestId: "t1" }, "reverted", {
          reverted: [],
          conflicts: [{ path, reason: { $regex: "." } }],
        }),
        ...returns({ id: "r2", kind: "revert_changes", ...conversation, paths: ["hawser-conform-nothing.txt"] }, "reverted", {
          reverted: [],
          conflicts: [{ path: "hawser-conform-nothing.txt", reason: { $regex: "." } }],
        }),
        ...returns({ id: "r3", kind: "revert_changes", ...conversation }, "reverted", { reverted: [path], conflicts: [] }),
      ],
    },
    "changes-busy": {
      title: "while a turn runs its changes are listed, and a revert is one error that says busy",
      requirements: ["H37"],
      steps: [
        ...works,
        ...waitingTurn("t", inConversation("conv-1")),
        ...returns({ id: "l", kind: "list_changes", ...conversation }, "changes", { changes: [] }),
        ...fails("r", "revert_changes", conversation, { error: { $regex: "busy" } }),
        ...decides("t", "deny", done("t")),
        ...isDone("d", "delete_conversation", conversation),
      ],
    },
  },
  { additive: true, before: [ready] },
);
