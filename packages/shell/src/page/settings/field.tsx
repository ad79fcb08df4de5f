// One setting: its name above it, and what it means below. A screen reader hears both.

import { useId, type ReactNode } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Draws the control, with these for its name and its explanation. */
  children(ids: { readonly id: string; readonly "aria-describedby": string | undefined }): ReactNode;
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": hintId })}
      {hintId !== undefined && (
        <p id={hintId} className="text-xs text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}
