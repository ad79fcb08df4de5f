// For what may throw where that only means that there is nothing: a browser that keeps nothing, a text that isn't JSON.

export function orUndefined<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
