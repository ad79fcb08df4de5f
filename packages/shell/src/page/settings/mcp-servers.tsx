// The MCP servers of the configuration: how each is and why, what it offers, to be switched off tool by tool; restart, remove, add by a
// form or by the JSON of other clients. Names and words of servers are text, with what would hide in them made visible.

import { reveal, type SettingsData } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { toPastedServers, toServer } from "./entries.ts";
import { Field, useSaving } from "./field.tsx";
import { ProgramForm, Refusal } from "./program-form.tsx";
import { Section } from "./section.tsx";
import type { RuntimeSettings } from "./use-runtime-settings.ts";

type Server = SettingsData["mcpServers"][number];
type Change = RuntimeSettings["change"];

export function McpServers({ servers, change }: { readonly servers: readonly Server[]; readonly change: Change }) {
  const add = (mcpServers: Readonly<Record<string, unknown>>): Promise<void> =>
    change((client) => client.setSettings({ mcpServers: { ...mcpServers } }));
  return (
    <Section
      name="MCP servers"
      hint="Programs and addresses whose tools the agent may use, after a question. A program runs with your rights."
    >
      {servers.length === 0 && <p className="text-sm text-soft">None yet.</p>}
      <ul className="flex flex-col gap-3">
        {servers.map((server) => (
          <ServerItem key={server.name} server={server} change={change} />
        ))}
      </ul>
      <details>
        <summary className="cursor-pointer text-sm font-medium">Add a server</summary>
        <div className="mt-3 flex flex-col gap-5">
          <PasteForm onAdd={add} />
          <ProgramForm
            label="Add server"
            commandLabel="Program or address"
            commandHint="For example npx, or https://tickets.example/mcp."
            valuesHint="NAME=value, one in a line: its environment, or the headers of an address. ${NAME} is a variable of yours."
            onAdd={(draft) => Promise.resolve().then(() => add(toServer(draft)))}
          />
        </div>
      </details>
    </Section>
  );
}

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
      <Field
        label="JSON of another client"
        hint='For example {"mcpServers": {"files": {"command": "npx", "args": ["-y", "some-mcp-server"]}}}.'
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            className="field grows-with-text font-mono text-xs"
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Refusal text={problem} />
      <Button type="submit" label="Add pasted servers" className="self-start" disabled={isSaving || text.trim() === ""} />
    </form>
  );
}

const stateLooks: Readonly<Record<string, string>> = { connected: "text-leaf", failed: "text-alarm", lost: "text-alarm" };

function ServerItem({
  server: { name, state, reason, place, secrets, tools },
  change,
}: {
  readonly server: Server;
  readonly change: Change;
}) {
  const { problem, isSaving, save } = useSaving();
  const shown = reveal(name);
  return (
    <li className="rounded-lg border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <h4 className="min-w-0 flex-1 text-sm font-medium wrap-anywhere">
          {shown} <span className={`text-xs font-normal ${stateLooks[state] ?? "text-soft"}`}>{reveal(state)}</span>
        </h4>
        {state !== "off" && (
          <Button
            label="Restart"
            aria-label={`Restart ${shown}`}
            disabled={isSaving}
            onClick={() => void save(() => change((client) => client.restartServer(name)))}
          />
        )}
        <Button
          label="Remove"
          aria-label={`Remove ${shown}`}
          disabled={isSaving}
          onClick={() => void save(() => change((client) => client.setSettings({ mcpServers: { [name]: null } })))}
        />
      </div>
      <p className="font-mono text-xs text-soft wrap-anywhere">{reveal(place)}</p>
      {secrets.length > 0 && (
        <p className="text-xs text-soft wrap-anywhere">With {secrets.map(reveal).join(", ")}, whose values are not shown.</p>
      )}
      {reason !== undefined && <p className="mt-1 text-xs whitespace-pre-wrap text-alarm wrap-anywhere">{reveal(reason)}</p>}
      <Refusal text={problem} />
      {tools.length > 0 && (
        <details className="mt-2">
          <summary className="cursor-pointer text-xs">
            {tools.length === 1 ? "1 tool" : `${tools.length} tools`}
            {tools.some(({ on }) => !on) && `, ${tools.filter(({ on }) => !on).length} switched off`}
          </summary>
          <ul className="mt-2 flex flex-col gap-1.5">
            {tools.map((tool) => (
              <ToolItem
                key={tool.name}
                tool={tool}
                isDisabled={isSaving}
                onSwitch={(on) => void save(() => change((client) => client.switchTool(name, tool.name, on)))}
              />
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

interface ToolItemProps {
  readonly tool: Server["tools"][number];
  readonly isDisabled: boolean;
  onSwitch(on: boolean): void;
}

function ToolItem({ tool: { name, description, on }, isDisabled, onSwitch }: ToolItemProps) {
  return (
    <li>
      <label className="flex items-baseline gap-2 text-xs">
        <input type="checkbox" checked={on} disabled={isDisabled} onChange={(event) => onSwitch(event.target.checked)} />
        <span className="min-w-0 wrap-anywhere">
          <span className="font-mono">{reveal(name)}</span> <span className="text-soft">{reveal(description)}</span>
        </span>
      </label>
    </li>
  );
}
