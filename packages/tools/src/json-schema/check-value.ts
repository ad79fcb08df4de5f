// Checks a value against a JSON Schema of draft 2020-12, however large either is, without keeping the process from other
// work: a long check is done in slices, one per turn of the event loop, and a regular expression that may take long is tried
// in a thread. What is too much for one check is refused. The schema comes from elsewhere and is not trusted.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import { toolLimits } from "../limits.ts";
import {
  addSeen,
  fail,
  invalidPattern,
  isToldEnough,
  LargeMap,
  schemaFault,
  pointerOf,
  type Check,
  type PatternTest,
  type Finding,
  type Problem,
  type References,
  type Run,
  type SchemaObject,
  type Spot,
} from "./checking.ts";
import { combiningKeywords } from "./combining-keywords.ts";
import { checkUnevaluated, contentKeywords } from "./content-keywords.ts";
import { patternCost } from "./pattern-cost.ts";
import { testInThread } from "./pattern-thread.ts";
import { surelyFits } from "./quick-look.ts";
import { createReferences } from "./references.ts";
import { simpleKeywords } from "./simple-keywords.ts";
import { createPace, isSliceOver, nextSlice } from "./slices.ts";

const keywords = new Map([...combiningKeywords, ...contentKeywords]);

/**
 * The function says what is wrong, the first few; nothing for a value that fits. It rejects where the schema can't be used or the
 * check takes too much. The schema is looked at when it is first used.
 */
export function createSchemaCheck(schema: unknown): (value: unknown) => Promise<readonly Problem[]> {
  let references: Promise<References> | undefined;
  let isSound = false;
  return async (value) => {
    if (isSound && surelyFits(schema, value)) return [];
    references ??= inSlices(createReferences(isRecord(schema) ? schema : {}));
    const problems: Finding[] = [];
    const run = createRun(await references);
    isSound = true;
    await inSlices(run.evaluate(schema, { value, place: undefined, problems, seen: undefined, scope: undefined }));
    return problems.map(({ place, reason }) => ({ path: pointerOf(place), reason }));
  };
}

async function inSlices<Result>(check: Check<Result>): Promise<Result> {
  const allowance = { leftMs: toolLimits.schemaPatternMs };
  let step = check.next();
  while (!step.done) {
    if (step.value === undefined) await nextSlice();
    step = check.next(step.value === undefined || (await testInThread(step.value, allowance)));
  }
  return step.value;
}

const maxSteps = toolLimits.schemaCheckSteps;
const advice = "give less, or simplify the schema";

function createRun(references: References): Run {
  const expressions = new Map<string, RegExp>();
  const isPauseDue = createPace();
  let steps = 0;
  let depth = 0;

  function compile(pattern: string): RegExp {
    try {
      const expression = expressions.get(pattern) ?? new RegExp(pattern, "u");
      expressions.set(pattern, expression);
      return expression;
    } catch (cause) {
      throw invalidPattern(pattern, cause);
    }
  }

  const run: Run = {
    references,
    *evaluate(schema, spot) {
      if (run.spend(1)) yield undefined;
      if (schema === false) return fail(spot, "Not allowed here.");
      if (!isRecord(schema)) return true;
      if (++depth > toolLimits.schemaDepth)
        throw schemaFault(`it is nested deeper than ${toolLimits.schemaDepth} levels, or refers to itself without end`);
      try {
        return yield* evaluateObject(schema, spot, run);
      } finally {
        depth--;
      }
    },
    *matches(pattern, text) {
      run.spend(1);
      if (patternCost(pattern, text.length) > toolLimits.schemaPatternSteps) return yield { pattern, text } satisfies PatternTest;
      // Compiling takes long for one step, so the clock is looked at every time.
      if (isSliceOver()) yield undefined;
      return compile(pattern).test(text);
    },
    spend(count) {
      steps += count;
      if (steps > maxSteps) throw new HawserError("invalid_arguments", `checking the value takes more than ${maxSteps} steps; ${advice}`);
      return isPauseDue(count);
    },
  };
  return run;
}

// What a keyword costs that is not known or only applies other schemas.
const stepsPerOther = 1 / 8;

function* evaluateObject(schema: SchemaObject, outer: Spot, run: Run): Check {
  const asksForUnseen = Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems");
  const spot: Spot = { ...outer, seen: asksForUnseen ? new LargeMap() : outer.seen, scope: run.references.enter(schema, outer.scope) };
  let isValid = true;
  for (const keyword of Object.keys(schema)) {
    const simple = simpleKeywords.get(keyword);
    const reason = simple?.(spot.value, schema[keyword], run);
    if (run.spend(simple ? 1 : stepsPerOther)) yield undefined;
    if (reason !== undefined) isValid = fail(spot, reason);
    const check = keywords.get(keyword);
    if (check && !(yield* check(schema, spot, run))) isValid = false;
    if (!isValid && isToldEnough(spot)) return false;
  }
  if (asksForUnseen && isValid) {
    isValid = yield* checkUnevaluated(schema, spot, run);
    yield* addSeen(spot.seen, outer.seen, run);
  }
  return isValid;
}
