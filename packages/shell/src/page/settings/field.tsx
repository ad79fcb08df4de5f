// One setting: its name above it, and below it what it means, or what is wrong. A screen reader hears both.

import { describeThrown } from "@hawser/protocol";
import { useId, useState, type ComponentProps, type ReactNode } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  /** What is wrong, in place of the hint. */
  readonly problem?: string | undefined;
  /** Draws the control, with these for its name and its explanation. */
  children(ids: { readonly id: string; readonly "aria-describedby": string | undefined }): ReactNode;
}

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const said = problem === undefined ? hint : <b className="text-alarm">{problem}</b>;
  const hintId = said === undefined ? undefined : `${id}-hint`;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": hintId })}
      {hintId !== undefined && (
        <p id={hintId} className="text-xs text-soft">
          {said}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, "children">, ComponentProps<"input"> {
  onText(text: string): void;
}

/** One line of text; `children` stand beside it. */
export function TextField({ label, hint, problem, onText, children, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <div className="flex gap-2">
          <input {...ids} className="field flex-1" spellCheck={false} onChange={(event) => onText(event.target.value)} {...input} />
          {children}
        </div>
      )}
    </Field>
  );
}

interface LinesFieldProps extends Pick<FieldProps, "label" | "hint"> {
  readonly value: string;
  readonly rows?: number;
  onText(text: string): void;
}

/** Several lines of text. */
export function LinesField({ label, hint, value, rows = 2, onText }: LinesFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...ids}
          rows={rows}
          className="field grows-with-text font-mono text-xs"
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </Field>
  );
}

/** What was refused is said, in a sentence, until it is tried again. */
export function useSaving() {
  const [problem, setProblem] = useState<string>();
  const [isSaving, setIsSaving] = useState(false);
  async function save(work: () => Promise<void>): Promise<void> {
    setIsSaving(true);
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(describeThrown(error)));
    setIsSaving(false);
  }
  return { problem, isSaving, save };
}
