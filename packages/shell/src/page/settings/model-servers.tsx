// Keys of the vendors, and servers that speak OpenAI's interface: each with its key, tested at once. A server without models gets those
// that it lists.

import { reveal, type SettingsData } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { usePageParts } from "../session/page-context.ts";
import { toName } from "./entries.ts";
import { TextField, useSaving } from "./field.tsx";
import { KeyField } from "./key-fields.tsx";
import { FormButtons, onEscape, Refusal } from "./program-form.tsx";
import { Section } from "./section.tsx";
import { useEditing } from "./use-editing.ts";
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
  const { isEditing, end, button } = useEditing();
  if (!server) return null;
  const { name, baseUrl, models } = server;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-48 text-xs text-soft wrap-anywhere">
          {reveal(baseUrl)}: {models.length === 0 ? "no models are named" : models.map(reveal).join(", ")}
        </p>
        <Button {...button} label="Edit" aria-label={`Edit server ${reveal(name)}`} disabled={isSaving} />
        <Button
          label="Remove server"
          aria-label={`Remove server ${reveal(name)}`}
          disabled={isSaving}
          onClick={() => void save(() => change((client) => client.setSettings({ openaiServers: { [name]: null } })))}
        />
      </div>
      <Refusal text={problem} />
      {isEditing && <ServerForm server={server} change={change} onEnd={end} />}
    </>
  );
}

const emptyServer = { name: "", baseUrl: "", models: "", apiKey: "" };

const fields = [
  { name: "name", label: "Server name", hint: "Stands before the names of its models, as in name/model." },
  { name: "baseUrl", label: "Base URL", hint: "With its /v1, if it has one." },
  { name: "models", label: "Models", hint: "With commas between. Empty: those that the server lists." },
] as const;

interface ServerFormProps extends Pick<ServerLineProps, "change"> {
  /** The one that is edited; its name stays, and its key has a field of its own. */
  readonly server?: ServerLineProps["server"];
  onEnd?(): void;
}

const toServerDraft = ({ name, baseUrl, models }: NonNullable<ServerLineProps["server"]>): typeof emptyServer => ({
  ...{ name, baseUrl, models: models.join(", "), apiKey: "" },
});

function ServerForm({ server, change, onEnd }: ServerFormProps) {
  const { client } = usePageParts().session;
  const [draft, setDraft] = useState(() => (server ? toServerDraft(server) : emptyServer));
  const [said, setSaid] = useState("");
  const { problem, isSaving, save } = useSaving();

  async function send(): Promise<void> {
    const name = toName(draft.name);
    const baseUrl = draft.baseUrl.trim();
    const models = draft.models.split(/[\s,]+/).filter((model) => model !== "");
    const set = (named: readonly string[]): Promise<void> =>
      change((asked) => {
        const entry = { baseUrl, ...(named.length > 0 ? { models: [...named] } : server && { models: null }) };
        return asked.setSettings({ openaiServers: { [name]: entry }, ...(server && { merge: true }) });
      });
    await set(models);
    if (draft.apiKey.trim() !== "") await change((asked) => asked.setKey(name, draft.apiKey));
    if (!server) setDraft(emptyServer);
    const tested = await client.testKey(name);
    if (models.length === 0 && tested.models !== undefined && tested.models.length > 0) await set(tested.models.slice(0, maxListedModels));
    if (onEnd) onEnd();
    else setSaid(tested.message);
  }

  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    setSaid("");
    void save(send);
  }

  const label = server ? `Edit server ${reveal(server.name)}` : "Add model server";
  return (
    <form aria-label={label} className="mt-3 flex flex-col gap-3" onSubmit={onSubmit} onKeyDown={onEscape(onEnd)}>
      {fields.map(({ name, label: fieldLabel, hint }) => (
        <TextField
          key={name}
          label={fieldLabel}
          hint={server && name === "baseUrl" ? `${hint} Its key goes when the address changes.` : hint}
          readOnly={server !== undefined && name === "name"}
          autoFocus={server !== undefined && name === "baseUrl"}
          value={draft[name]}
          onText={(text) => setDraft((present) => ({ ...present, [name]: text }))}
        />
      ))}
      {!server && (
        <TextField
          label="Key"
          hint="Empty: none is sent."
          type="password"
          autoComplete="off"
          value={draft.apiKey}
          onText={(apiKey) => setDraft((present) => ({ ...present, apiKey }))}
        />
      )}
      <Refusal text={problem} />
      <p role="status" className="text-xs wrap-anywhere">
        {reveal(said)}
      </p>
      <FormButtons label={server ? "Save" : label} isSaving={isSaving} onCancel={onEnd} />
    </form>
  );
}

/** The picker lists each of them. */
const maxListedModels = 50;
