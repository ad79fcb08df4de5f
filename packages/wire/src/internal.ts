// What the other packages of Hawser use of this one. Not for users: it may change in any release.

export * from "./index.ts";
export {
  describeAltered,
  findAlteredNumber,
  isContainer,
  isKeptNumber,
  keepNumbers,
  searchAlteredNumber,
  toPointer,
} from "./codec/json-numbers.ts";
export type { AlteredNumber } from "./codec/json-numbers.ts";
export { memberSource, withIdSource } from "./codec/json-source.ts";
export {
  exceedsDepth,
  JsonText,
  parseJsonText,
  replaceHalfPairs,
  toJsonText,
  weighJsonText,
  weighMembers,
  widestObject,
} from "./codec/json-text.ts";
export { createByteBudget, type ByteBudget, type Share } from "./flow/byte-budget.ts";
export {
  createCancelController,
  isSettledWithin,
  linkSignals,
  untilAborted,
  whenAborted,
  type CancelController,
  type CancelSignal,
} from "./flow/cancel.ts";
export { startDeadline, type Deadline, type DeadlineOptions } from "./flow/deadline.ts";
export { createInFlightTable, type Flight, type InFlightTable } from "./flow/in-flight.ts";
export { createMailbox, type Mailbox, type MailboxOptions } from "./flow/mailbox.ts";
export { createOutbox, taken, type OnSent, type Outbox, type OutboxOptions } from "./flow/outbox.ts";
export { createRecentMap } from "./flow/recent-map.ts";
export { createSemaphore, type Lease, type Semaphore, type SemaphoreOptions } from "./flow/semaphore.ts";
export { readEach, weightOf } from "./transport/transport.ts";
