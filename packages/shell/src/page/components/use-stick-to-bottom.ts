// Keeps a growing list at its end, until the user scrolls up; then it stays where the user reads.

import { useCallback, useEffect, useRef, useState } from "react";

// A little above the end still counts as the end: fonts and zoom make parts of pixels.
const nearPixels = 48;

/** `isStill`: it isn't a list yet, and is read from its beginning. */
export function useStickToBottom(startsAnewWith: string, isStill = false) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const [isAway, setIsAway] = useState(false);

  const toEnd = useCallback(() => {
    const { current } = scroller;
    if (current) current.scrollTop = isStill ? 0 : current.scrollHeight;
  }, [isStill]);

  /** For a list that drops at its beginning what it gets at its end: its size does not tell that it changed. */
  const follow = useCallback(() => (sticks.current ? toEnd() : undefined), [toEnd]);

  const jump = useCallback(() => {
    sticks.current = true;
    setIsAway(false);
    toEnd();
  }, [toEnd]);

  /** Stays where it is from now on. */
  const hold = useCallback(() => {
    sticks.current = false;
  }, []);

  const onScroll = useCallback(() => {
    const { current } = scroller;
    if (!current) return;
    const { scrollTop, scrollHeight, clientHeight } = current;
    // Growth alone doesn't stop following; only scrolling up does.
    if (scrollHeight - scrollTop - clientHeight < nearPixels) sticks.current = true;
    else if (scrollTop < lastTop.current) sticks.current = false;
    lastTop.current = scrollTop;
    setIsAway(!sticks.current);
  }, []);

  useEffect(() => {
    const grown = new ResizeObserver(follow);
    for (const { current } of [content, scroller]) if (current) grown.observe(current);
    return () => grown.disconnect();
  }, [follow]);

  useEffect(jump, [jump, startsAnewWith]);

  return { scroller, content, isAway, jump, follow, hold, onScroll };
}
