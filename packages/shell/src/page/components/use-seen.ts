// Whether an element has been near the screen yet. One observer serves all: a conversation may have two
// thousand messages, and those far from the screen are drawn simply.

import { startTransition, useEffect, useState, type RefObject } from "react";

const margin = "1200px";
const waiting = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

function observe(element: Element, onSeen: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.get(target)?.();
    },
    { rootMargin: margin },
  );
  waiting.set(element, onSeen);
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer?.unobserve(element);
  };
}

export function useSeen(element: RefObject<Element | null>, isSeenAnyway: boolean): boolean {
  const [isSeen, setIsSeen] = useState(isSeenAnyway);
  useEffect(() => {
    if (isSeen || !element.current) return undefined;
    // Drawing many at once may wait for more urgent work.
    return observe(element.current, () => startTransition(() => setIsSeen(true)));
  }, [isSeen, element]);
  return isSeen || isSeenAnyway;
}
