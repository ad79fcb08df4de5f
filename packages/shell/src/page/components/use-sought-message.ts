// Brings the message that a search has led to on the screen, once: held in the middle for some frames, since what is drawn above it
// for the first time moves it, unless the user scrolls meanwhile. It also gets the focus, so that reading goes on from there.

import { useEffect, useRef, type RefObject } from "react";
import { shellLimits } from "../../limits.ts";
import { usePage, usePageParts } from "../session/page-context.ts";
import type { Message } from "../state/page-state.ts";

interface SoughtOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly messages: readonly Message[];
  readonly isLoaded: boolean;
  /** Ends the following of the list's end, which would otherwise flash up between two frames. */
  hold(): void;
}

/** Returns the id of the message that is sought in the conversation on the screen. */
export function useSoughtMessage({ scroller, messages, isLoaded, hold }: SoughtOptions): string | undefined {
  const { session } = usePageParts();
  const sought = usePage((state) => (state.sought?.conversationId === state.currentId ? state.sought : undefined));
  const shown = useRef<typeof sought>(undefined);
  const isThere = sought !== undefined && messages.some(({ messageId }) => messageId === sought.messageId);
  useEffect(() => {
    if (!sought || shown.current === sought || !(isThere || isLoaded)) return undefined;
    shown.current = sought;
    const element = scroller.current?.querySelector<HTMLElement>("[data-sought]");
    if (!element) return session.notify("The message that was found is not in this conversation any more.");
    hold();
    element.focus({ preventScroll: true });
    return keepInSight(element);
  }, [sought, isThere, isLoaded, scroller, hold, session]);
  return sought?.messageId;
}

const userMoves = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/** Returns how to stop it. */
function keepInSight(element: HTMLElement): () => void {
  let framesLeft = shellLimits.shellSoughtFrames;
  let frame = 0;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    for (const move of userMoves) removeEventListener(move, stop);
  };
  const step = (): void => {
    const isTall = element.offsetHeight > (element.closest("[role=log]")?.clientHeight ?? 0);
    element.scrollIntoView({ block: isTall ? "start" : "center" });
    if (--framesLeft > 0) frame = requestAnimationFrame(step);
    else stop();
  };
  for (const move of userMoves) addEventListener(move, stop, { passive: true });
  step();
  return stop;
}
