// Files may be dropped anywhere on the page. Without this, a browser would open them instead.

import { useEffect, useState } from "react";

export function DropArea({ onFiles }: { onFiles(files: Iterable<File>): void }) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    addEventListener(
      "dragover",
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(true);
      },
      { signal },
    );
    addEventListener("dragleave", (event) => (event.relatedTarget === null ? setIsOver(false) : undefined), { signal });
    addEventListener(
      "drop",
      (event) => {
        setIsOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        onFiles([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    return () => stop.abort();
  }, [onFiles]);
  if (!isOver) return null;
  return (
    <div className="pointer-events-none fixed inset-3 z-40 grid place-items-center rounded-2xl border-2 border-dashed border-sea bg-sea-wash/90 text-lg font-semibold">
      Drop to attach
    </div>
  );
}
