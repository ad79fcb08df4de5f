// Checks a value against a JSON Schema of draft 2020-12, however large either is, without keeping the process from other
// work: a long check is done in slices, one per turn of the event loop, and a regular expression that may take long is tried
// in a thread. What is too much for one check is refused. The schema comes from elsewhere and is not trusted.

import { quoteShort } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import { limits } from "../../limits.ts";
import {
  fail,
  isToldEnough,
  schemaFault,
  tooMuchWork,
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
import { createReferences } from "./references.ts";
import { simpleKeywords } from "./simple-keywords.ts";
import { isSliceOver, nextSlice } from "./slices.ts";

const keywords = new Map([...combiningKeywords, ...contentKeywords]);

export interface SchemaCheck {
  /** What is wrong, the first few; nothing for a value that fits. Rejects where the schema can't be used or the check takes too much. */
  (value: unknown): Promise<readonly Problem[]>;
}

/** The schema is looked at when it is first used. */
export function createSchemaCheck(schema: unknown): SchemaCheck {
  let references: References | undefined;
  return async (value) => {
    references ??= createReferences(isRecord(schema) ? schema : {});
    const problems: Finding[] = [];
    const run = createRun(references);
    const checking = run.evaluate(schema, { value, place: undefined, problems, seen: undefined, scope: undefined });
    const allowance = { leftMs: limits.schemaPatternMs };
    for (let step = checking.next(); !step.done;) {
      if (step.value === undefined) await nextSlice();
      step = checking.next(step.value === undefined || (await testInThread(step.value, allowance)));
    }
    return problems.map(({ place, reason }) => ({ path: pointerOf(place), reason }));
  };
}

// Looking at the clock costs as much as a few keywords.
const stepsPerLook = 32;

function createRun(references: References): Run {
  const expressions = new Map<string, RegExp>();
  let steps = 0;
  let lookAt = stepsPerLook;
  let depth = 0;

  function compile(pattern: string): RegExp {
    const known = expressions.get(pattern);
    if (known) return known;
    try {
      const expression = new RegExp(pattern, "u");
      expressions.set(pattern, expression);
      return expression;
    } catch (cause) {
      throw schemaFault(`the pattern ${quoteShort(pattern, 200)} is no regular expression`, cause);
    }
  }

  const run: Run = {
    references,
    *evaluate(schema, spot) {
      run.spend(1);
      if (run.isPauseDue()) yield undefined;
      if (schema === false) return fail(spot, "Not allowed here.");
      if (!isRecord(schema)) return true;
      if (++depth > limits.schemaDepth)
        throw schemaFault(`it is nested deeper than ${limits.schemaDepth} levels, or refers to itself without end`);
      try {
        return yield* evaluateObject(schema, spot, run);
      } finally {
        depth--;
      }
    },
    *matches(pattern, text) {
      const expression = compile(pattern);
      const cost = patternCost(pattern, text.length);
      run.spend(1);
      if (cost > limits.schemaPatternSteps) return yield { pattern, text } satisfies PatternTest;
      if (run.isPauseDue()) yield undefined;
      return expression.test(text);
    },
    spend(count) {
      steps += count;
      if (steps > limits.schemaCheckSteps) throw tooMuchWork();
    },
    isPauseDue() {
      if (steps < lookAt) return false;
      lookAt = steps + stepsPerLook;
      return isSliceOver();
    },
  };
  return run;
}

function* evaluateObject(schema: SchemaObject, outer: Spot, run: Run): Check {
  const asksForUnseen = Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems");
  const spot: Spot = { ...outer, seen: asksForUnseen ? new Set() : outer.seen, scope: run.references.enter(schema, outer.scope) };
  let isValid = true;
  for (const keyword of Object.keys(schema)) {
    const simple = simpleKeywords.get(keyword);
    const reason = simple?.(spot.value, schema[keyword], run);
    if (simple) run.spend(1);
    if (reason !== undefined) isValid = fail(spot, reason);
    const check = keywords.get(keyword);
    if (check && !(yield* check(schema, spot, run))) isValid = false;
    if (!isValid && isToldEnough(spot)) return false;
  }
  if (asksForUnseen && isValid) {
    isValid = yield* checkUnevaluated(schema, spot, run);
    for (const key of spot.seen ?? []) outer.seen?.add(key);
  }
  return isValid;
}
