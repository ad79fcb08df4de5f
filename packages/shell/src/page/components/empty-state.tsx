// What a new conversation shows: what is running, what can be tried, and how to connect a real model.

import { reveal } from "@hawser/protocol";
import { useIsConnected, usePage, usePageParts } from "../session/page-context.ts";
import { chosenModel, isAgentName } from "../state/page-state.ts";
import { Button } from "./icon.tsx";

/** Requests that the offline model understands; a real one does as well. */
const examples = ["list the files here", "what is 12 * 34?", 'write "hello" to hello.txt', "list the tools", "what can you do?"];

export function EmptyState() {
  const { actions } = usePageParts();
  const isConnected = useIsConnected();
  const model = usePage(chosenModel);
  const more = usePage(({ link }) => link.examples);
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
        <div className="space-y-1 text-[0.95rem]">
          {isReal(model) ? <ModelLines model={model} /> : <OfflineLines hasRealModel={hasRealModel} />}
          <p>
            {model !== undefined && isAgentName(model)
              ? "When it asks before it does something, it asks you here; its mode and your rules say when."
              : "Before it changes anything, it asks you here, unless a rule of yours allows it."}{" "}
            The wire view shows every message.
          </p>
        </div>
      </div>
      <div>
        <h3 className="mb-2 text-sm font-semibold text-soft">Try one of these</h3>
        <ul className="flex flex-wrap gap-2">
          {[...examples, ...(more ?? [])].map((example) => (
            <li key={example}>
              <Button
                label={example}
                className="bg-sheet font-mono text-[0.8rem]"
                disabled={!isConnected}
                onClick={() => void actions.send(example, [])}
              />
            </li>
          ))}
        </ul>
      </div>
      {!hasRealModel && <ConnectModel />}
    </div>
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
  const root = usePage(({ link }) => link.root);
  if (root === undefined) return "in its folder";
  return (
    <>
      in <code className="font-mono text-[0.85em] wrap-anywhere">{root}</code>
    </>
  );
}

function ConnectModel() {
  const { desktop } = usePageParts();
  return (
    <div className="border-t border-line pt-4 text-sm text-soft">
      <h3 className="font-semibold">To connect a real model</h3>
      {desktop ? (
        <p className="mt-1">Open the settings (Alt ,): put in a key, or start Ollama, and choose the model.</p>
      ) : (
        <p className="mt-1 [&>code]:font-mono [&>code]:text-xs [&>code]:text-ink">
          Set <code>ANTHROPIC_API_KEY</code> or <code>OPENAI_API_KEY</code>, log in to Claude Code, or start Ollama. Then end the shell with
          Ctrl-C in its terminal, and start it again: <code>npx hawser shell</code>. The list of models below says what is available, and
          why not.
        </p>
      )}
    </div>
  );
}
