// Keys of the vendors, and servers that speak OpenAI's interface: each with its key, tested at once. A server without models gets those
// that it lists.

import { reveal, type SettingsData } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { usePageParts } from "../session/page-context.ts";
import { toName } from "./entries.ts";
import { TextField, useSaving } from "./field.tsx";
import { KeyField } from "./key-fields.tsx";
import { Refusal } from "./program-form.tsx";
import { Section } from "./section.tsx";
import type { RuntimeSettings } from "./use-runtime-settings.ts";

interface ModelServersProps {
  readonly settings: SettingsData;
  readonly change: RuntimeSettings["change"];
  /** Those whose keys something else keeps: the desktop app. */
  readonly keptElsewhere: readonly string[];
}

export function ModelServers({ settings, change, keptElsewhere }: ModelServersProps) {
  const { client } = usePageParts().session;
  const onSave = (vendor: string, key: string): Promise<void> => change((asked) => asked.setKey(vendor, key));
  const onTest = (vendor: string): ReturnType<typeof client.testKey> => client.testKey(vendor);
  const servers = new Map(settings.openaiServers.map((server) => [server.name, server]));
  return (
    <Section
      name="Models"
      isFirst={keptElsewhere.length === 0}
      hint="A key is kept on this machine, for you alone, and is never shown again."
    >
      {settings.keys
        .filter(({ vendor }) => !keptElsewhere.includes(vendor))
        .map((entry) => (
          <div key={entry.vendor}>
            <KeyField vendor={entry.vendor} entry={entry} onSave={onSave} onTest={onTest} />
            {servers.has(entry.vendor) && <ServerLine server={servers.get(entry.vendor)} change={change} />}
          </div>
        ))}
      <details>
        <summary className="cursor-pointer text-sm font-medium">Add a server with OpenAI's interface</summary>
        <ServerForm change={change} />
      </details>
    </Section>
  );
}

interface ServerLineProps {
  readonly server: SettingsData["openaiServers"][number] | undefined;
  readonly change: RuntimeSettings["change"];
}

function ServerLine({ server, change }: ServerLineProps) {
  const { problem, isSaving, save } = useSaving();
  if (!server) return null;
  const { name, baseUrl, models } = server;
  return (
    <>
      <div className="flex items-center gap-2">
        <p className="min-w-0 flex-1 text-xs text-soft wrap-anywhere">
          {reveal(baseUrl)}: {models.length === 0 ? "no models are named" : models.map(reveal).join(", ")}
        </p>
        <Button
          label="Remove server"
          aria-label={`Remove server ${reveal(name)}`}
          disabled={isSaving}
          onClick={() => void save(() => change((client) => client.setSettings({ openaiServers: { [name]: null } })))}
        />
      </div>
      <Refusal text={problem} />
    </>
  );
}

const emptyServer = { name: "", baseUrl: "", models: "", apiKey: "" };

const fields = [
  { name: "name", label: "Server name", hint: "Stands before the names of its models, as in name/model." },
  { name: "baseUrl", label: "Base URL", hint: "With its /v1, if it has one." },
  { name: "models", label: "Models", hint: "With commas between. Empty: those that the server lists." },
] as const;

function ServerForm({ change }: Pick<ServerLineProps, "change">) {
  const { client } = usePageParts().session;
  const [draft, setDraft] = useState(emptyServer);
  const [said, setSaid] = useState("");
  const { problem, isSaving, save } = useSaving();

  async function add(): Promise<void> {
    const name = toName(draft.name);
    const baseUrl = draft.baseUrl.trim();
    const models = draft.models.split(/[\s,]+/).filter((model) => model !== "");
    const set = (named: readonly string[]): Promise<void> =>
      change((asked) => asked.setSettings({ openaiServers: { [name]: { baseUrl, ...(named.length > 0 && { models: [...named] }) } } }));
    await set(models);
    if (draft.apiKey.trim() !== "") await change((asked) => asked.setKey(name, draft.apiKey));
    setDraft(emptyServer);
    const tested = await client.testKey(name);
    if (models.length === 0 && tested.models !== undefined && tested.models.length > 0) await set(tested.models.slice(0, maxListedModels));
    setSaid(tested.message);
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    setSaid("");
    void save(add);
  }

  return (
    <form aria-label="Add model server" className="mt-3 flex flex-col gap-3" onSubmit={onSubmit}>
      {fields.map(({ name, label, hint }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          value={draft[name]}
          onText={(text) => setDraft((present) => ({ ...present, [name]: text }))}
        />
      ))}
      <TextField
        label="Key"
        hint="Empty: none is sent."
        type="password"
        autoComplete="off"
        value={draft.apiKey}
        onText={(apiKey) => setDraft((present) => ({ ...present, apiKey }))}
      />
      <Refusal text={problem} />
      <p role="status" className="text-xs wrap-anywhere">
        {reveal(said)}
      </p>
      <Button type="submit" label="Add model server" className="self-start" disabled={isSaving} />
    </form>
  );
}

/** The picker lists each of them. */
const maxListedModels = 50;
