// The form for a program with a name: an MCP server, or an agent; for a new one, empty again when it was taken, or for one that there is,
// whose name stays.

import { useState, type FormEvent, type KeyboardEvent } from "react";
import { Button } from "../components/icon.tsx";
import { emptyProgram, type ProgramDraft } from "./entries.ts";
import { LinesField, TextField, useSaving } from "./field.tsx";

interface ProgramFormProps {
  readonly label: string;
  readonly commandLabel: string;
  readonly commandHint: string;
  readonly valuesHint: string;
  /** What is there; for a new one nothing. */
  readonly initial?: ProgramDraft | undefined;
  onSave(draft: ProgramDraft): Promise<void>;
  /** Leaves it as it is. */
  onCancel?: (() => void) | undefined;
}

const areas = [
  { name: "args", label: "Arguments", hint: "One in a line." },
  { name: "env", label: "Values", hint: "" },
] as const;

export function ProgramForm({ label, commandLabel, commandHint, valuesHint, initial, onSave, onCancel }: ProgramFormProps) {
  const [draft, setDraft] = useState(initial ?? emptyProgram);
  const { problem, isSaving, save } = useSaving();
  const change = (facts: Partial<ProgramDraft>): void => setDraft((present) => ({ ...present, ...facts }));
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void save(async () => {
      await onSave(draft);
      if (!initial) setDraft(emptyProgram);
    });
  }
  return (
    <form aria-label={label} className="flex flex-col gap-3" onSubmit={onSubmit} onKeyDown={onEscape(onCancel)}>
      <div className="grid gap-3 sm:grid-cols-[1fr_2fr]">
        <TextField label="Name" readOnly={initial !== undefined} value={draft.name} onText={(name) => change({ name })} />
        <TextField
          label={commandLabel}
          autoFocus={initial !== undefined}
          hint={commandHint}
          value={draft.command}
          onText={(command) => change({ command })}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        {areas.map(({ name, label: areaLabel, hint }) => (
          <LinesField
            key={name}
            label={areaLabel}
            hint={hint === "" ? valuesHint : hint}
            value={draft[name]}
            onText={(text) => change({ [name]: text })}
          />
        ))}
      </div>
      <Refusal text={problem} />
      <FormButtons label={initial ? "Save" : label} isSaving={isSaving} onCancel={onCancel} />
    </form>
  );
}

/** Escape leaves the form, not the dialog around it. */
export const onEscape = (leave: (() => void) | undefined) =>
  leave &&
  ((event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    leave();
  });

interface FormButtonsProps {
  readonly label: string;
  readonly isSaving: boolean;
  readonly onCancel?: (() => void) | undefined;
}

export function FormButtons({ label, isSaving, onCancel }: FormButtonsProps) {
  return (
    <div className="flex gap-2">
      <Button type="submit" label={label} disabled={isSaving} />
      {onCancel && <Button label="Cancel" onClick={onCancel} />}
    </div>
  );
}

/** Why something was not taken. */
export function Refusal({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" className="text-sm whitespace-pre-wrap text-alarm wrap-anywhere">
      {text}
    </p>
  );
}
