// The default model, the commands and the rules of the runtime's configuration, as one form; and agents that speak ACP.

import { reveal, type SettingsData } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import type { PermissionRule } from "../links/desktop.ts";
import { fromDraft, toDraft, type SettingsDraft } from "./draft.ts";
import { toAgent } from "./entries.ts";
import { useSaving } from "./field.tsx";
import { ProgramForm, Refusal } from "./program-form.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { Section } from "./section.tsx";
import { AgentFields } from "./settings-form.tsx";
import type { RuntimeSettings } from "./use-runtime-settings.ts";

interface PartProps {
  readonly settings: SettingsData;
  readonly change: RuntimeSettings["change"];
}

/** The parts that a window has and a browser has not stay empty. */
const toAgentDraft = ({ model, allowedCommands, permissions }: SettingsData): SettingsDraft =>
  toDraft({ model, allowedCommands, permissionRules: permissions as readonly PermissionRule[], roots: [], shortcut: "", theme: "system" });

export function AgentForm({ settings, change }: PartProps) {
  const [draft, setDraft] = useState(() => toAgentDraft(settings));
  const [isSaved, setIsSaved] = useState(false);
  const { problem, isSaving, save } = useSaving();
  function edit(facts: Partial<SettingsDraft>): void {
    setIsSaved(false);
    setDraft((present) => ({ ...present, ...facts }));
  }
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void save(async () => {
      const { model, allowedCommands, permissionRules } = fromDraft(draft);
      const changes = { model: model ?? null, allowedCommands: [...allowedCommands], permissions: [...permissionRules] };
      await change((client) => client.setSettings(changes));
      setIsSaved(true);
    });
  }
  return (
    <Section name="Agent">
      <form aria-label="Settings" className="flex flex-col gap-4" onSubmit={onSubmit}>
        {settings.modelGiven !== undefined && (
          <p className="text-xs text-soft wrap-anywhere">
            This launch was given {reveal(settings.modelGiven)}, which comes before the model below.
          </p>
        )}
        <AgentFields draft={draft} fields={["allowedCommands"]} onChange={edit} />
        <RuleFields rules={draft.rules} onChange={(rules) => edit({ rules })} />
        <Refusal text={problem} />
        <div className="flex items-center justify-end gap-3">
          <p role="status" className="text-sm text-leaf">
            {isSaved && "Saved. It counts from now on."}
          </p>
          <Button type="submit" label="Save" className="button-main" disabled={isSaving} />
        </div>
      </form>
    </Section>
  );
}

export function Agents({ settings, change }: PartProps) {
  const { problem, isSaving, save } = useSaving();
  return (
    <Section
      name="Agents"
      hint="Programs that speak the Agent Client Protocol; acp/name among the models. The well-known ones need no entry."
    >
      <ul className="flex flex-col gap-2">
        {settings.agents.map(({ name, place }) => (
          <li key={name} className="flex items-center gap-2">
            <p className="min-w-0 flex-1 text-sm wrap-anywhere">
              {reveal(name)} <span className="font-mono text-xs text-soft">{reveal(place)}</span>
            </p>
            <Button
              label="Remove"
              aria-label={`Remove agent ${reveal(name)}`}
              disabled={isSaving}
              onClick={() => void save(() => change((client) => client.setSettings({ agents: { [name]: null } })))}
            />
          </li>
        ))}
      </ul>
      <Refusal text={problem} />
      <details>
        <summary className="cursor-pointer text-sm font-medium">Add an agent</summary>
        <div className="mt-3">
          <ProgramForm
            label="Add agent"
            commandLabel="Program"
            commandHint="For example my-agent."
            valuesHint="NAME=value, one in a line: its environment."
            onAdd={(draft) => Promise.resolve().then(() => change((client) => client.setSettings({ agents: { ...toAgent(draft) } })))}
          />
        </div>
      </details>
    </Section>
  );
}
