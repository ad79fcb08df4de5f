// Which scenarios an implementation with a fault is asked for: those that it breaks, and some of the others, so that all
// of the faulty ones together are asked for each. Where there is time, every one is asked for everything.

import { longTestsVariable } from "../../../scripts/tasks/long-tests.ts";

const isLong = process.env[longTestsVariable] !== undefined;

/** Of `ids`, those for number `at` of `count` faults, in the order in which they were given. */
export const scenariosFor = (ids: readonly string[], broken: readonly string[], at: number, count: number): string[] =>
  ids.filter((id, index) => isLong || broken.includes(id) || index % count === at % count);
