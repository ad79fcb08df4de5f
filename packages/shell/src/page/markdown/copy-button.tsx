// Copies a text, and says so for a moment.

import { useEffect, useState } from "react";
import { Icon } from "../components/icon.tsx";

const shownMs = 1_500;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [outcome, setOutcome] = useState<"Copied" | "Copying failed">();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome("Copied"),
      () => setOutcome("Copying failed"),
    );
  };
  return (
    <button type="button" className="button button-quiet button-small" aria-label={outcome ?? label} title={label} onClick={copy}>
      <Icon name={outcome === "Copied" ? "check" : "copy"} className="size-3.5" />
      <span aria-live="polite">{outcome ?? "Copy"}</span>
    </button>
  );
}
