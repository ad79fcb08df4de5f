// Whether an entry is being edited. The button that opens its form stays, and has the focus again when the form is gone.

import { useRef, useState, type MouseEvent } from "react";

export function useEditing() {
  const [isEditing, setIsEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  function end(): void {
    setIsEditing(false);
    button.current?.focus();
  }
  function onClick({ detail }: MouseEvent): void {
    // The second click of a double one is meant for what the first has opened.
    if (detail > 1) return;
    if (isEditing) end();
    else setIsEditing(true);
  }
  return { isEditing, end, button: { ref: button, "aria-expanded": isEditing, onClick } };
}
