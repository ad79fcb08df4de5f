// The form for a program with a name: an MCP server, or an agent. It is empty again when the program was taken.

import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { emptyProgram, type ProgramDraft } from "./entries.ts";
import { Field, TextField, useSaving } from "./field.tsx";

interface ProgramFormProps {
  readonly label: string;
  readonly commandLabel: string;
  readonly commandHint: string;
  readonly valuesHint: string;
  onAdd(draft: ProgramDraft): Promise<void>;
}

const areas = [
  { name: "args", label: "Arguments", hint: "One in a line." },
  { name: "env", label: "Values", hint: "" },
] as const;

export function ProgramForm({ label, commandLabel, commandHint, valuesHint, onAdd }: ProgramFormProps) {
  const [draft, setDraft] = useState(emptyProgram);
  const { problem, isSaving, save } = useSaving();
  const change = (facts: Partial<ProgramDraft>): void => setDraft((present) => ({ ...present, ...facts }));
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void save(async () => {
      await onAdd(draft);
      setDraft(emptyProgram);
    });
  }
  return (
    <form aria-label={label} className="flex flex-col gap-3" onSubmit={onSubmit}>
      <div className="grid gap-3 sm:grid-cols-[1fr_2fr]">
        <TextField label="Name" value={draft.name} onText={(name) => change({ name })} />
        <TextField label={commandLabel} hint={commandHint} value={draft.command} onText={(command) => change({ command })} />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        {areas.map(({ name, label: areaLabel, hint }) => (
          <Field key={name} label={areaLabel} hint={hint === "" ? valuesHint : hint}>
            {(ids) => (
              <textarea
                {...ids}
                rows={2}
                className="field grows-with-text font-mono text-xs"
                spellCheck={false}
                autoComplete="off"
                value={draft[name]}
                onChange={(event) => change({ [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <Refusal text={problem} />
      <Button type="submit" label={label} className="self-start" disabled={isSaving} />
    </form>
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
