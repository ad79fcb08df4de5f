// A choice of the user that this browser keeps. Where it can keep nothing, it lasts as long as the page.

import { useState } from "react";
import { orUndefined } from "../../or-undefined.ts";

/** The first value is the one to begin with. */
export function useKeptChoice<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
): readonly [Value, (chosen: Value) => void] {
  const storageKey = `hawser-${name}`;
  const [choice, setChoice] = useState<Value>(() => {
    const kept = orUndefined(() => localStorage.getItem(storageKey));
    return values.find((value) => value === kept) ?? values[0];
  });
  function choose(chosen: Value): void {
    setChoice(chosen);
    orUndefined(() => localStorage.setItem(storageKey, chosen));
  }
  return [choice, choose];
}
