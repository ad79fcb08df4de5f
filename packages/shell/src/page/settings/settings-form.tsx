// Model, folders, commands, rules, shortcut and theme, as one form.

import { useId, useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import type { DesktopSettings, DesktopState } from "../links/desktop.ts";
import { usePage } from "../session/page-context.ts";
import { themes } from "../session/theme.ts";
import { fromDraft, toDraft, type SettingsDraft } from "./draft.ts";
import { Field, LinesField, TextField, useSaving } from "./field.tsx";
import { RuleFields } from "./rule-fields.tsx";

interface SettingsFormProps {
  readonly state: DesktopState;
  onSave(settings: DesktopSettings): Promise<void>;
  onCancel(): void;
}

const themeNames = { system: "As the system", light: "Light", dark: "Dark" } as const;

export function SettingsForm({ state, onSave, onCancel }: SettingsFormProps) {
  const [draft, setDraft] = useState(() => toDraft(state.settings));
  const { problem, isSaving, save } = useSaving();
  const change = (facts: Partial<SettingsDraft>): void => setDraft((present) => ({ ...present, ...facts }));
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void save(async () => onSave(fromDraft(draft)));
  }
  return (
    <form aria-label="Settings" className="flex flex-col gap-4" onSubmit={onSubmit}>
      <AgentFields draft={draft} fields={["roots", "allowedCommands"]} onChange={change} />
      <RuleFields rules={draft.rules} onChange={(rules) => change({ rules })} />
      <WindowFields draft={draft} shortcutProblem={state.shortcutProblem} onChange={change} />
      {problem !== undefined && (
        <p role="alert" className="text-sm text-alarm">
          {problem}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button label="Cancel" onClick={onCancel} />
        <Button type="submit" label="Save" className="button-main" disabled={isSaving} />
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly draft: SettingsDraft;
  onChange(facts: Partial<SettingsDraft>): void;
}

const lists = [
  {
    name: "roots",
    label: "Folders",
    hint: "What the agent may read, and after a question change; one in a line. Empty: a folder of its own.",
  },
  { name: "allowedCommands", label: "Allowed commands", hint: "Programs that it may run, after a question; one in a line. Empty: none." },
] as const;

interface AgentFieldsProps extends FieldsProps {
  /** Of the lists, those that can be set here. */
  readonly fields: readonly (typeof lists)[number]["name"][];
}

/** The model, and lists of folders and commands. */
export function AgentFields({ draft, fields, onChange }: AgentFieldsProps) {
  const models = usePage((page) => page.models);
  const listId = useId();
  return (
    <>
      <TextField
        label="Model"
        hint="For example anthropic/claude-sonnet-5-5 or offline. Empty: the best one that is available."
        list={listId}
        autoFocus
        value={draft.model}
        onText={(model) => onChange({ model })}
      />
      <datalist id={listId}>
        {models.map(({ model }) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      {lists
        .filter(({ name }) => fields.includes(name))
        .map(({ name, label, hint }) => (
          <LinesField key={name} label={label} hint={hint} value={draft[name]} onText={(text) => onChange({ [name]: text })} />
        ))}
    </>
  );
}

function WindowFields({ draft, shortcutProblem, onChange }: FieldsProps & Pick<DesktopState, "shortcutProblem">) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Shortcut"
        hint="Shows and hides the window, from anywhere. Empty: none."
        problem={shortcutProblem}
        value={draft.shortcut}
        onText={(shortcut) => onChange({ shortcut })}
      />
      <Field label="Theme">
        {(ids) => (
          <select
            {...ids}
            className="field"
            value={draft.theme}
            onChange={(event) => onChange({ theme: themes.find((theme) => theme === event.target.value) ?? "system" })}
          >
            {themes.map((theme) => (
              <option key={theme} value={theme}>
                {themeNames[theme]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
