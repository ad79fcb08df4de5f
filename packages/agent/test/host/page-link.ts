// A link without a process: lines in memory, as a page would move them.

import type { AgentLink, LostRuntime } from "../../src/host/link.ts";

type Item = string | LostRuntime;

export interface PageLink extends AgentLink {
  readonly sent: Record<string, unknown>[];
  deliver(message: Item | object): void;
  end(): void;
}

export function createPageLink(): PageLink {
  const items: (Item | undefined)[] = [];
  let wake = (): void => {};
  const sent: Record<string, unknown>[] = [];
  async function* incoming(): AsyncGenerator<Item> {
    for (;;) {
      while (items.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const item = items.shift();
      if (item === undefined) return;
      yield item;
    }
  }
  const put = (item: Item | undefined): void => {
    items.push(item);
    wake();
  };
  return {
    sent,
    send: (line) => void sent.push(JSON.parse(line) as Record<string, unknown>),
    incoming: { [Symbol.asyncIterator]: incoming },
    deliver: (message) =>
      put(typeof message === "string" || "lost" in message ? (message as Item) : JSON.stringify({ timestamp: 1, ...message })),
    end: () => put(undefined),
  };
}
