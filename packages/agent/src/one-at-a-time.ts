// Actions that are done one after the other, in the order in which they came; one that fails keeps no other back.

export type OneAtATime = <Result>(action: () => Promise<Result>) => Promise<Result>;

export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const result = last.then(action);
    last = result.catch(() => {});
    return result;
  };
}
