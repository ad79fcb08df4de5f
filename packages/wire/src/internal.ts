// Everything that the packages of Hawser use of this one. Not for users: what is here and not in the public entry may change
// in any release.

export * from "./index.ts";
export { describeAltered, findAlteredNumber, isContainer, isKeptNumber, keepNumbers, toPointer } from "./codec/json-numbers.ts";
export type { AlteredNumber } from "./codec/json-numbers.ts";
export { memberSource, withIdSource } from "./codec/json-source.ts";
export { exceedsDepth, JsonText, parseJsonText, replaceHalfPairs, toJsonText, weighJsonText } from "./codec/json-text.ts";
export { createByteBudget } from "./flow/byte-budget.ts";
export type { ByteBudget, Share } from "./flow/byte-budget.ts";
export { createCancelController, isSettledWithin, linkSignals, untilAborted, whenAborted } from "./flow/cancel.ts";
export type { CancelSignal } from "./flow/cancel.ts";
export { startDeadline } from "./flow/deadline.ts";
export type { Deadline, DeadlineOptions } from "./flow/deadline.ts";
export { createInFlightTable } from "./flow/in-flight.ts";
export type { Flight, InFlightTable } from "./flow/in-flight.ts";
export { createMailbox } from "./flow/mailbox.ts";
export type { Mailbox, MailboxOptions } from "./flow/mailbox.ts";
export { createOutbox } from "./flow/outbox.ts";
export type { OnSent, Outbox, OutboxOptions } from "./flow/outbox.ts";
export { parseRetryAfter, parseRetryAfterMs, retryPauseMs } from "./flow/retry-pause.ts";
export { createSemaphore } from "./flow/semaphore.ts";
export type { Lease, Semaphore, SemaphoreOptions } from "./flow/semaphore.ts";
export { readEach } from "./transport/transport.ts";
