// The bounds of the agent runtime and of its host client. Part of `limits`.

export const agentLimitTable = {
  agentQueuedTurns: {
    value: 64,
    reason: "Turns that may wait in one conversation; the next one is refused.",
  },
  agentBusyLanes: {
    value: 64,
    reason: "Conversations that have work at the same time.",
  },
  agentStepCalls: {
    value: 128,
    reason: "Tool calls that a model may make in one step.",
  },
  agentSteps: {
    value: 100,
    reason: "Steps of a model in one turn: a loop ends.",
  },
  agentTurnChars: {
    value: 16_777_216,
    reason: "Text of one turn.",
  },
  agentTurnMs: {
    value: 1_800_000,
    reason: "The longest turn.",
  },
  agentQueuedBytes: {
    value: 33_554_432,
    reason: "Text of the messages that wait in all conversations; one that would exceed it is refused.",
  },
  agentHeartbeatMs: {
    value: 15_000,
    reason: "Silence of a running turn after which its host is told that it lives.",
  },
  permissionMs: {
    value: 120_000,
    reason: "How long a question to the user waits for its answer before it counts as denied.",
  },
  hostIdleMs: {
    value: 60_000,
    reason: "Silence of a request after which the host client gives it up and cancels it.",
  },
};
