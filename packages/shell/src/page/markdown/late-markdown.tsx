// Markdown, once its parser is there: it is a third of the page, so it comes with the first message. Until then a text stands there as
// it is.

import { useSyncExternalStore, type ComponentType } from "react";
import { PlainText } from "./plain-text.tsx";

export interface MarkdownProps {
  readonly text: string;
  readonly isGrowing: boolean;
}

let loaded: ComponentType<MarkdownProps> | undefined;
const listeners = new Set<() => void>();

/** Where it can't be loaded, texts stay as they are. */
export async function loadMarkdown(): Promise<void> {
  try {
    const { Markdown } = await import("./markdown.tsx");
    loaded = Markdown;
  } catch {
    return;
  }
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function LateMarkdown(props: MarkdownProps) {
  const Markdown = useSyncExternalStore(subscribe, () => loaded);
  return Markdown ? <Markdown {...props} /> : <PlainText text={props.text} />;
}
