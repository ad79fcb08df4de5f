// Whether an element has been near the screen yet: a conversation may have ten thousand messages, and those far away are not drawn,
// or drawn simply.

import { useEffect, useState, type RefObject } from "react";

const margin = "1200px";
// One observer serves all.
const waiting = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

function observe(element: Element, onSeen: () => void): () => void {
  const onChange = (entries: readonly IntersectionObserverEntry[]): void => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) waiting.get(target)?.();
  };
  // The list scrolls inside the page: a margin of the screen alone would not reach what it hides.
  const init: IntersectionObserverInit & { readonly scrollMargin: string } = { rootMargin: margin, scrollMargin: margin };
  observer ??= new IntersectionObserver(onChange, init);
  waiting.set(element, onSeen);
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer?.unobserve(element);
  };
}

/** `show` decides how urgent drawing it is. */
export function useSeen(element: RefObject<Element | null>, isSeenAnyway: boolean, show: (draw: () => void) => void): boolean {
  const [isSeen, setIsSeen] = useState(isSeenAnyway);
  useEffect(() => {
    if (isSeen || !element.current) return undefined;
    return observe(element.current, () => show(() => setIsSeen(true)));
  }, [isSeen, element, show]);
  return isSeen || isSeenAnyway;
}
