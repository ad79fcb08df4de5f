// Whether an entry is being edited. The button that opens its form stays, and has the focus again when the form is gone.

import { useRef, useState } from "react";

export function useEditing() {
  const [isEditing, setIsEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  function end(): void {
    setIsEditing(false);
    button.current?.focus();
  }
  return { isEditing, end, button: { ref: button, "aria-expanded": isEditing, onClick: () => (isEditing ? end() : setIsEditing(true)) } };
}
