// What a new conversation shows: what is running, what can be tried, and, in three steps, how to get to a real model.

import { isAgentName, reveal } from "@hawser/protocol/internal";
import type { ReactNode } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";
import { useHasSettings, useIsConnected, usePage, usePageParts } from "../session/page-context.ts";
import { chosenModel, folderOf } from "../state/page-state.ts";
import { Button } from "./icon.tsx";
import { clickOn } from "./keys.tsx";

interface Example {
  readonly text: string;
  /** What it shows. */
  readonly shows: string;
}

/** Requests that the offline model understands; a real one does as well. */
const examples: readonly Example[] = [
  { text: "list the files here", shows: "uses a tool" },
  { text: "what is 12 * 34?", shows: "answers at once" },
  { text: 'write "hello" to hello.txt', shows: "asks you first; Alt R shows it, with a way back" },
  { text: "list the tools", shows: "what it can use" },
  { text: "what can you do?", shows: "a long answer" },
];

export function EmptyState() {
  const model = usePage(chosenModel);
  const hasRealModel = usePage(
    ({ models, runtime }) => isReal(runtime?.info.model) || models.some((entry) => entry.available && isReal(entry.model)),
  );
  return (
    <div className="m-auto w-full max-w-2xl space-y-6">
      <div className="space-y-2">
        <h2 className="flex items-center gap-2.5 text-2xl font-semibold tracking-tight">
          <span aria-hidden="true" className="strand h-7 w-1.5 rounded-full" />
          Hawser
        </h2>
        <div className="space-y-1 text-base">
          {isReal(model) ? <ModelLines model={model} /> : <OfflineLines hasRealModel={hasRealModel} />}
          <p>
            {model !== undefined && isAgentName(model)
              ? "When it asks before it does something, it asks you here; its mode and your rules say when."
              : "Before it changes anything, it asks you here, unless a rule of yours allows it."}{" "}
            The wire view shows every message.
          </p>
        </div>
      </div>
      {hasRealModel ? <Examples heading="Try one of these" /> : <FirstSteps />}
    </div>
  );
}

const hintId = (shows: string): string => `shows-${shows.replaceAll(" ", "-")}`;

function Examples({ heading }: { readonly heading: string }) {
  const { actions } = usePageParts();
  const isConnected = useIsConnected();
  const more = usePage(({ link }) => link.examples);
  const all = [...examples, ...(more ?? []).map((text) => ({ text, shows: "" }))];
  return (
    <div>
      <h3 className="mb-2 text-sm font-semibold">{heading}</h3>
      <ul className="grid gap-2 sm:grid-cols-2">
        {all.map(({ text, shows }) => (
          <li key={text}>
            <Button
              label={text}
              className="w-full justify-start bg-sheet text-left font-mono text-xs wrap-anywhere"
              disabled={!isConnected}
              aria-describedby={shows === "" ? undefined : hintId(shows)}
              onClick={() => void actions.send(text, [])}
            />
            {shows !== "" && (
              <span id={hintId(shows)} className="mt-0.5 block px-1 text-xs text-soft">
                {shows}
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** From the offline model to a real one. */
function FirstSteps() {
  const { desktop } = usePageParts();
  const hasSettings = useHasSettings() || desktop !== undefined;
  return (
    <ol aria-label="First steps" className="space-y-5">
      <Step number={1}>
        <Examples heading="Try one of these" />
      </Step>
      <Step number={2}>
        <h3 className="text-sm font-semibold">To connect a real model</h3>
        {hasSettings ? (
          <>
            <p className="mt-1 text-sm text-soft">
              Put in a key of Anthropic, OpenAI or a server with OpenAI's interface, or start Ollama.
            </p>
            <Button label="Open the settings" className="mt-2 bg-sheet" onClick={() => clickOn("settings-button")} />
          </>
        ) : (
          <ul className="mt-2 space-y-1.5 text-sm text-soft">
            <Way text="With a key of Anthropic or OpenAI" command="export ANTHROPIC_API_KEY=…" />
            <Way text="Or log in to Claude Code" command="claude /login" />
            <Way text="Or start a model on this machine" command="ollama run qwen3" />
          </ul>
        )}
      </Step>
      <Step number={3}>
        <h3 className="text-sm font-semibold">Choose it</h3>
        <p className="mt-1 text-sm text-soft">
          {hasSettings ? "" : "Press Ctrl-C in the terminal of the shell and start it again, so that it sees the key. "}
          The list at the bottom left (Alt A) has every model and agent, and says of those that are not available why.
        </p>
        {!hasSettings && (
          <ul className="mt-2">
            <Way text="" command="npx hawser shell" />
          </ul>
        )}
      </Step>
    </ol>
  );
}

function Step({ number, children }: { readonly number: number; readonly children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <span aria-hidden="true" className="grid size-6 shrink-0 place-items-center rounded-full bg-sea-wash text-xs font-semibold text-sea">
        {number}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  );
}

function Way({ text, command }: { readonly text: string; readonly command: string }) {
  return (
    <li className="flex flex-wrap items-center gap-x-2">
      {text !== "" && <span>{text}:</span>}
      <code className="rounded bg-raised px-1.5 py-0.5 font-mono text-xs text-ink">{command}</code>
      <CopyButton text={command.replace("…", "")} label={`Copy ${command}`} />
    </li>
  );
}

const isReal = (model: string | undefined): model is string => model !== undefined && model !== "offline";

function OfflineLines({ hasRealModel }: { readonly hasRealModel: boolean }) {
  return (
    <>
      <p>An agent runs on this machine with its offline model: no key, no network.</p>
      <p>
        It isn't a language model: it understands a fixed set of requests, and uses real tools <InRoot />.
        {hasRealModel && " A real one is available: choose it in the list of models below."}
      </p>
    </>
  );
}

function ModelLines({ model }: { readonly model: string }) {
  if (isAgentName(model))
    return (
      <p>
        <b className="font-semibold wrap-anywhere">{reveal(model)}</b> answers: an agent of its own, which works <InRoot /> with its own
        tools and those of this runtime.
      </p>
    );
  return (
    <>
      <p>
        An agent runs on this machine and answers with <b className="font-semibold">{reveal(model)}</b>.
      </p>
      <p>
        It reads files <InRoot />, changes them when you agree, and runs the commands that you allow. It remembers its conversations.
      </p>
    </>
  );
}

function InRoot() {
  const root = usePage((state) => folderOf(state, state.currentId));
  if (root === undefined) return "in its folder";
  return (
    <>
      in <code className="font-mono text-sm wrap-anywhere">{root}</code>
    </>
  );
}
