// Works on several items at once and gives the results in the order of the items. Bounded: so many are begun ahead of
// the one that is taken. Whoever stops early leaves nothing behind: what was begun is waited for and handed to `drop`.

export interface AheadOptions<Item, Result> {
  readonly ahead: number;
  /** Called in the order of the items, and before the next item is asked for. */
  begin(item: Item): Promise<Result>;
  drop(result: Result): Promise<void>;
}

export async function* inOrder<Item, Result>(
  items: AsyncGenerator<Item>,
  { ahead, begin, drop }: AheadOptions<Item, Result>,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  let isAtEnd = false;
  try {
    for (;;) {
      while (!isAtEnd && begun.length < ahead) {
        const next = await items.next();
        isAtEnd = next.done === true;
        if (!next.done) begun.push(settleLater(begin(next.value)));
      }
      const first = begun.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    for (const result of begun) await result.then(drop, () => {});
    await items.return(undefined);
  }
}

/** A failure is seen when its turn comes; until then it is nobody's unhandled rejection. */
function settleLater<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {});
  return work;
}
