// The MCP servers of the configuration: how each is and why, what it offers, to be switched off tool by tool; restart, edit, remove, add
// by a form or by the JSON of other clients. Beside them those that the folders of the conversation bring along, which their files rule. Names and words of servers are text, with what would hide in them made visible.

import { reveal, type SettingsData } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { usePage } from "../session/page-context.ts";
import { isEditable, toPastedServers, toProgramDraft, toServer, toServerChange, type ProgramDraft } from "./entries.ts";
import { LinesField, useSaving } from "./field.tsx";
import { ProgramForm, Refusal } from "./program-form.tsx";
import { Section } from "./section.tsx";
import { useEditing } from "./use-editing.ts";
import type { RuntimeSettings } from "./use-runtime-settings.ts";

type Server = SettingsData["mcpServers"][number];
type FolderServer = NonNullable<SettingsData["folderServers"]>[number];
type Change = RuntimeSettings["change"];

interface McpServersProps {
  readonly servers: readonly Server[];
  /** Of the folders that the conversation works in. */
  readonly folderServers: readonly FolderServer[];
  readonly change: Change;
}

export function McpServers({ servers, folderServers, change }: McpServersProps) {
  const add = (mcpServers: Readonly<Record<string, unknown>>): Promise<void> =>
    change((client) => client.setSettings({ mcpServers: { ...mcpServers } }));
  return (
    <Section
      name="MCP servers"
      hint="Programs and addresses whose tools the agent may use, after a question. A program runs with your rights."
    >
      {servers.length + folderServers.length === 0 && <p className="text-sm text-soft">None yet.</p>}
      <ul className="flex flex-col gap-3 empty:hidden">
        {servers.map((server) => (
          <ServerItem key={server.name} server={server} change={change} />
        ))}
        {folderServers.map((server) => (
          <ServerItem key={JSON.stringify([server.folder, server.name])} server={server} folder={server.folder} change={change} />
        ))}
      </ul>
      <details>
        <summary className="cursor-pointer text-sm font-medium">Add a server</summary>
        <div className="mt-3 flex flex-col gap-5">
          <PasteForm onAdd={add} />
          <ProgramForm label="Add server" {...serverWords} onSave={(draft) => Promise.resolve().then(() => add(toServer(draft)))} />
        </div>
      </details>
    </Section>
  );
}

const serverWords = {
  commandLabel: "Program or address",
  commandHint: "For example npx, or https://tickets.example/mcp.",
  valuesHint: "NAME=value, one in a line: its environment, or the headers of an address. ${NAME} is a variable of yours.",
};

function PasteForm({ onAdd }: { onAdd(servers: Readonly<Record<string, unknown>>): Promise<void> }) {
  const [text, setText] = useState("");
  const { problem, isSaving, save } = useSaving();
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    void save(async () => {
      await onAdd(toPastedServers(text));
      setText("");
    });
  }
  return (
    <form aria-label="Add pasted servers" className="flex flex-col gap-3" onSubmit={onSubmit}>
      <LinesField
        label="JSON of another client"
        hint='For example {"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-mcp-server"]}}}.'
        rows={3}
        value={text}
        onText={setText}
      />
      <Refusal text={problem} />
      <Button type="submit" label="Add pasted servers" className="self-start" disabled={isSaving || text.trim() === ""} />
    </form>
  );
}

const stateLooks: Readonly<Record<string, string>> = { connected: "text-leaf", failed: "text-alarm", lost: "text-alarm" };

interface ServerItemProps {
  readonly server: Server;
  /** Whose file has it; without one it is the user's own. */
  readonly folder?: string;
  readonly change: Change;
}

function ServerItem({ server, folder, change }: ServerItemProps) {
  const { name, state, reason, place, secrets, tools, toolsLeftOut = 0 } = server;
  const { problem, isSaving, save } = useSaving();
  const { isEditing, end, button } = useEditing();
  const shown = reveal(name);
  return (
    <li className="rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h4 className="min-w-0 flex-1 basis-48 text-sm font-medium wrap-anywhere">
          {shown} <span className={`text-xs font-normal ${stateLooks[state] ?? "text-soft"}`}>{reveal(state)}</span>
        </h4>
        <div className="flex flex-wrap gap-2">
          {state !== "off" && <RestartButton name={name} folder={folder} isDisabled={isSaving} save={save} change={change} />}
          {folder === undefined && isEditable(server) && (
            <Button {...button} label="Edit" aria-label={`Edit ${shown}`} disabled={isSaving} />
          )}
          {folder === undefined && (
            <Button
              label="Remove"
              aria-label={`Remove ${shown}`}
              disabled={isSaving}
              onClick={() => void save(() => change((client) => client.setSettings({ mcpServers: { [name]: null } })))}
            />
          )}
        </div>
      </div>
      <p className="font-mono text-xs text-soft wrap-anywhere">{reveal(place)}</p>
      {folder !== undefined && (
        <p className="text-xs text-soft wrap-anywhere">
          Of the folder {reveal(folder)}: its .hawser/agent.json says what it is and what it offers.
        </p>
      )}
      {secrets.length > 0 && (
        <p className="text-xs text-soft wrap-anywhere">With {secrets.map(reveal).join(", ")}, whose values are not shown.</p>
      )}
      {reason !== undefined && <p className="mt-1 text-xs whitespace-pre-wrap text-alarm wrap-anywhere">{reveal(reason)}</p>}
      <Refusal text={problem} />
      {isEditing && <ServerEdit server={server} change={change} onEnd={end} />}
      <ServerTools
        tools={tools}
        leftOut={toolsLeftOut}
        isDisabled={isSaving}
        onSwitch={folder === undefined ? (tool, on) => void save(() => change((client) => client.switchTool(name, tool, on))) : undefined}
      />
    </li>
  );
}

function ServerEdit({ server, change, onEnd }: Pick<ServerItemProps, "server" | "change"> & { onEnd(): void }) {
  async function onSave(draft: ProgramDraft): Promise<void> {
    const mcpServers = { ...toServerChange(draft, server) };
    await change((client) => client.setSettings({ mcpServers, merge: true }));
    onEnd();
  }
  return (
    <div className="mt-3">
      <ProgramForm
        label={`Edit server ${reveal(server.name)}`}
        {...serverWords}
        initial={toProgramDraft(server)}
        onSave={onSave}
        onCancel={onEnd}
      />
    </div>
  );
}

interface RestartButtonProps extends Pick<ServerItemProps, "change"> {
  readonly name: string;
  readonly folder: string | undefined;
  readonly isDisabled: boolean;
  save(work: () => Promise<void>): Promise<void>;
}

function RestartButton({ name, folder, isDisabled, save, change }: RestartButtonProps) {
  const conversationId = usePage(({ currentId }) => currentId);
  const of = folder === undefined ? undefined : { conversationId, folder };
  return (
    <Button
      label="Restart"
      aria-label={`Restart ${reveal(name)}`}
      disabled={isDisabled}
      onClick={() => void save(() => change((client) => client.restartServer(name, of)))}
    />
  );
}

interface ServerToolsProps {
  readonly tools: Server["tools"];
  /** How many more there are. */
  readonly leftOut: number;
  readonly isDisabled: boolean;
  /** Undefined where a file of the folder decides. */
  readonly onSwitch: ((tool: string, on: boolean) => void) | undefined;
}

function ServerTools({ tools, leftOut, isDisabled, onSwitch }: ServerToolsProps) {
  if (tools.length + leftOut === 0) return null;
  const offCount = tools.filter(({ on }) => !on).length;
  return (
    <details className="mt-2">
      <summary className="cursor-pointer text-xs">
        {tools.length === 1 ? "1 tool" : `${tools.length} tools`}
        {offCount > 0 && `, ${offCount} switched off`}
        {leftOut > 0 && `, and ${leftOut} more that are not shown`}
      </summary>
      <ul className="mt-2 flex flex-col gap-1.5">
        {tools.map(({ name, description, on }) => (
          <li key={name} className="text-xs">
            <label className="flex items-baseline gap-2">
              <input
                type="checkbox"
                checked={on}
                disabled={isDisabled || !onSwitch}
                onChange={(event) => onSwitch?.(name, event.target.checked)}
              />
              <span className="min-w-0 wrap-anywhere">
                <span className="font-mono">{reveal(name)}</span> <span className="text-soft">{reveal(description)}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
