// What has arrived and was not taken yet, as the async iterable that a client reads.

export interface IncomingQueue<Item> {
  readonly items: AsyncIterable<Item>;
  put(item: Item): void;
  end(): void;
}

export function createIncomingQueue<Item>(): IncomingQueue<Item> {
  const waiting: Item[] = [];
  let isEnded = false;
  let wake: (() => void) | undefined;

  function notify(): void {
    wake?.();
    wake = undefined;
  }

  async function* read(): AsyncGenerator<Item> {
    for (;;) {
      // All that came together is handed on without a pause for each.
      for (const item of waiting.splice(0)) yield item;
      if (waiting.length > 0) continue;
      if (isEnded) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    items: { [Symbol.asyncIterator]: read },
    put(item) {
      if (isEnded) return;
      waiting.push(item);
      notify();
    },
    end() {
      isEnded = true;
      notify();
    },
  };
}
