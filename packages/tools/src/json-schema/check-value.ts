// Checks a value against a JSON Schema of draft 2020-12, however large either is, without keeping the process from other
// work: a long check is done in slices, one per turn of the event loop, and a regular expression that may take long is tried
// in a thread. What is too much for one check is refused. The schema comes from elsewhere and is not trusted.

import { HawserError, isRecord } from "@hawser/protocol/internal";
import { toolLimits } from "../limits.ts";
import {
  afterPause,
  checkEach,
  fail,
  invalidPattern,
  pointerOf,
  schemaFault,
  Seen,
  type Check,
  type Finding,
  type Keyword,
  type PatternTest,
  type Problem,
  type References,
  type Run,
  type SchemaObject,
  type Spot,
  type Verdict,
} from "./checking.ts";
import { combiningKeywords } from "./combining-keywords.ts";
import { checkUnevaluated, contentKeywords } from "./content-keywords.ts";
import { patternCost } from "./pattern-cost.ts";
import { testInThread } from "./pattern-thread.ts";
import { createReferences } from "./references.ts";
import { simpleKeywords } from "./simple-keywords.ts";
import { createPace, isSliceOver, nextSlice } from "./slices.ts";

const table = new Map<string, Keyword>([...combiningKeywords, ...contentKeywords]);
for (const [name, reasonAgainst] of simpleKeywords) {
  table.set(name, (schema, spot, run) => {
    const reason = reasonAgainst(spot.value, schema[name], run);
    return reason === undefined || fail(spot, reason);
  });
}

/**
 * The function says what is wrong, the first few; nothing for a value that fits, and undefined where that is known at once. It rejects
 * where the schema can't be used or the check takes too much. The schema is looked at when it is first used.
 */
export function createSchemaCheck(schema: unknown): (value: unknown) => Promise<readonly Problem[]> | undefined {
  let preparing: Promise<References> | undefined;
  let references: References | undefined;

  async function prepare(): Promise<References> {
    preparing ??= inSlices(createReferences(isRecord(schema) ? schema : {}, table));
    return (references ??= await preparing);
  }

  function begin(value: unknown, known: References) {
    const problems: Finding[] = [];
    const spot = { value, place: undefined, problems, seen: undefined, scope: known.rootScope };
    return { problems, verdict: createRun(known).evaluate(schema, spot) };
  }

  async function finish({ problems, verdict }: ReturnType<typeof begin>): Promise<readonly Problem[]> {
    if (typeof verdict !== "boolean") await inSlices(verdict);
    return problems.map(({ place, reason }) => ({ path: pointerOf(place), reason }));
  }

  return (value) => {
    if (!references) return prepare().then((known) => finish(begin(value, known)));
    try {
      const begun = begin(value, references);
      return begun.verdict === true && begun.problems.length === 0 ? undefined : finish(begun);
    } catch (error) {
      return Promise.reject(error as Error);
    }
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

const advice = "give less, or simplify the schema";

// A step of the check takes about as long as so many of an expression, and as listing so many names.
const patternStepsPerStep = 1_000;
const namesPerStep = 8;
// Fewer are listed again as quickly as they are found.
const keptNames = 32;

function createRun(references: References): Run {
  const isPauseDue = createPace();
  const maxSteps = toolLimits.schemaCheckSteps;
  let names: Map<object, readonly string[]> | undefined;
  let steps = 0;
  let depth = 0;

  /** What is left after the keywords: what none of them has looked at. */
  function* finish(verdict: Verdict, schema: SchemaObject, spot: Spot, outer: Spot): Check {
    let isValid = typeof verdict === "boolean" ? verdict : yield* verdict;
    if (isValid && spot.seen && spot.seen !== outer.seen) {
      const rest = checkUnevaluated(schema, spot, run);
      isValid = typeof rest === "boolean" ? rest : yield* rest;
      yield* outer.seen?.addFrom(spot.seen, run) ?? [];
    }
    depth--;
    return isValid;
  }

  const run: Run = {
    references,
    evaluate(schema, outer) {
      if (schema === false) return fail(outer, "Not allowed here.");
      if (!isRecord(schema)) return true;
      const { base, keywords, asksForUnseen } = references.prepared(schema);
      if (++depth > toolLimits.schemaDepth)
        throw schemaFault(`it is nested deeper than ${toolLimits.schemaDepth} levels, or refers to itself without end`);
      const scope = outer.scope.base === base ? outer.scope : { base, outer: outer.scope };
      const spot = scope === outer.scope && !asksForUnseen ? outer : { ...outer, scope, seen: asksForUnseen ? new Seen() : outer.seen };
      const verdict = checkEach(keywords.length, spot, run, (index) => keywords[index]?.(schema, spot, run) ?? true);
      if (typeof verdict !== "boolean" || asksForUnseen) return finish(verdict, schema, spot, outer);
      depth--;
      return verdict;
    },
    matches(pattern, text) {
      const cost = patternCost(pattern, text.length);
      if (cost > toolLimits.schemaPatternSteps) return inThread({ pattern, text });
      const known = compiled.get(pattern);
      if (known) return run.spend(1 + cost / patternStepsPerStep) ? afterPause(() => known.test(text)) : known.test(text);
      // Compiling takes long for one step, so the clock is looked at every time.
      return isSliceOver() ? afterPause(() => compile(pattern).test(text)) : compile(pattern).test(text);
    },
    namesOf(value) {
      let found = references.namesOf(value) ?? names?.get(value);
      if (found) return found;
      found = Object.keys(value);
      run.spend(found.length / namesPerStep);
      if (found.length > keptNames) (names ??= new Map()).set(value, found);
      return found;
    },
    spend(count) {
      steps += count;
      if (steps > maxSteps) throw new HawserError("invalid_arguments", `checking the value takes more than ${maxSteps} steps; ${advice}`);
      return isPauseDue(count);
    },
  };
  return run;
}

function* inThread(test: PatternTest): Check {
  return yield test;
}

const compiled = new Map<string, RegExp>();
// Schemas come and go in a long life, and an expression can take half a megabyte.
const maxCompiled = 64;

function compile(pattern: string): RegExp {
  try {
    if (compiled.size >= maxCompiled) compiled.clear();
    const expression = new RegExp(pattern, "u");
    compiled.set(pattern, expression);
    return expression;
  } catch (cause) {
    throw invalidPattern(pattern, cause);
  }
}
