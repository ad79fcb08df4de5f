// The default model, the commands and the rules of the runtime's configuration, as one form; and agents that speak ACP.

import type { PermissionRule } from "@hawser/agent/host/link";
import { HawserError, reveal, type SettingsChanges, type SettingsData } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { fromDraft, toDraft, type SettingsDraft } from "./draft.ts";
import { isEditable, toAgent, toAgentChange, toProgramDraft, type ProgramDraft } from "./entries.ts";
import { useSaving } from "./field.tsx";
import { ProgramForm, Refusal } from "./program-form.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { Section } from "./section.tsx";
import { AgentFields } from "./settings-form.tsx";
import { useEditing } from "./use-editing.ts";
import type { RuntimeSettings } from "./use-runtime-settings.ts";

interface PartProps {
  readonly settings: SettingsData;
  readonly change: RuntimeSettings["change"];
}

/** The parts that a window has and a browser has not stay empty. */
const toAgentDraft = ({ model, allowedCommands, permissions }: SettingsData): SettingsDraft =>
  toDraft({ model, allowedCommands, permissionRules: permissions as readonly PermissionRule[], roots: [], shortcut: "", theme: "system" });

const words = { model: "The model was", allowedCommands: "The allowed commands were", permissions: "The rules were" } as const;

type Wanted = Readonly<Record<keyof typeof words, unknown>>;

/** What is wanted otherwise. Throws `usage` for what another page has changed since: neither may be lost without a word. */
function changesFrom(base: SettingsData, now: SettingsData, wanted: Wanted): SettingsChanges {
  const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
  const names = (Object.keys(words) as (keyof typeof words)[]).filter((name) => !isSame(base[name], wanted[name]));
  for (const name of names)
    if (!isSame(base[name], now[name]) && !isSame(now[name], wanted[name]))
      throw new HawserError(
        "usage",
        `${words[name]} changed elsewhere meanwhile, so nothing was saved. Open the settings again to see it.`,
      );
  return Object.fromEntries(names.map((name) => [name, wanted[name]]));
}

export function AgentForm({ settings, change }: PartProps) {
  const [draft, setDraft] = useState(() => toAgentDraft(settings));
  const [base, setBase] = useState(settings);
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
      const wanted = { model: model ?? null, allowedCommands: [...allowedCommands], permissions: [...permissionRules] };
      await change(async (client) => {
        const changes = changesFrom(base, await client.getSettings(), wanted);
        const saved = await client.setSettings(changes);
        setBase(saved);
        return saved;
      });
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

const agentWords = {
  commandLabel: "Program",
  commandHint: "For example my-agent.",
  valuesHint: "NAME=value, one in a line: its environment.",
};

export function Agents({ settings, change }: PartProps) {
  const add = (draft: ProgramDraft): Promise<void> => change((client) => client.setSettings({ agents: { ...toAgent(draft) } }));
  return (
    <Section
      name="Agents"
      hint="Programs that speak the Agent Client Protocol; acp/name among the models. The well-known ones need no entry."
    >
      <ul className="flex flex-col gap-2 empty:hidden">
        {settings.agents.map((agent) => (
          <AgentItem key={agent.name} agent={agent} change={change} />
        ))}
      </ul>
      <details>
        <summary className="cursor-pointer text-sm font-medium">Add an agent</summary>
        <div className="mt-3">
          <ProgramForm label="Add agent" {...agentWords} onSave={async (draft) => add(draft)} />
        </div>
      </details>
    </Section>
  );
}

function AgentItem({ agent, change }: Pick<PartProps, "change"> & { readonly agent: SettingsData["agents"][number] }) {
  const { problem, isSaving, save } = useSaving();
  const { isEditing, end, button } = useEditing();
  const { name, place } = agent;
  async function onSave(draft: ProgramDraft): Promise<void> {
    const agents = { ...toAgentChange(draft, agent) };
    await change((client) => client.setSettings({ agents, merge: true }));
    end();
  }
  return (
    <li className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-48 text-sm wrap-anywhere">
          {reveal(name)} <span className="font-mono text-xs text-soft">{reveal(place)}</span>
        </p>
        {isEditable(agent) && <Button {...button} label="Edit" aria-label={`Edit agent ${reveal(name)}`} disabled={isSaving} />}
        <Button
          label="Remove"
          aria-label={`Remove agent ${reveal(name)}`}
          disabled={isSaving}
          onClick={() => void save(() => change((client) => client.setSettings({ agents: { [name]: null } })))}
        />
      </div>
      <Refusal text={problem} />
      {isEditing && (
        <ProgramForm label={`Edit agent ${reveal(name)}`} {...agentWords} initial={toProgramDraft(agent)} onSave={onSave} onCancel={end} />
      )}
    </li>
  );
}
