// Keeps a growing list at its end, until the user scrolls up; then it stays where the user reads.

import { useCallback, useEffect, useRef, useState } from "react";

// A little above the end still counts as the end: fonts and zoom make parts of pixels.
const nearPixels = 48;

export function useStickToBottom(startsAnewWith: string) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [isAway, setIsAway] = useState(false);

  const toEnd = useCallback(() => {
    const { current } = scroller;
    if (current) current.scrollTop = current.scrollHeight;
  }, []);

  const jump = useCallback(() => {
    sticks.current = true;
    setIsAway(false);
    toEnd();
  }, [toEnd]);

  const onScroll = useCallback(() => {
    const { current } = scroller;
    if (!current) return;
    sticks.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearPixels;
    setIsAway(!sticks.current);
  }, []);

  useEffect(() => {
    const grown = new ResizeObserver(() => (sticks.current ? toEnd() : undefined));
    if (content.current) grown.observe(content.current);
    if (scroller.current) grown.observe(scroller.current);
    return () => grown.disconnect();
  }, [toEnd]);

  useEffect(jump, [jump, startsAnewWith]);

  return { scroller, content, isAway, jump, onScroll };
}
