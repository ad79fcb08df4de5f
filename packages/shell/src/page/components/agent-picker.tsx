// Which model or agent answers the next message, and what can be chosen about an agent: its mode, its model, how long it thinks.

import { reveal, type OptionEntry } from "@hawser/protocol";
import { useHasSettings, usePage, usePageParts } from "../session/page-context.ts";
import { chosenModel, currentOptions, runningTurnsOf } from "../state/page-state.ts";
import { toChoices } from "./model-choices.ts";
import { Picker } from "./picker.tsx";

export function AgentPicker() {
  const { actions, desktop } = usePageParts();
  const hasSettings = useHasSettings() || desktop !== undefined;
  const models = usePage((state) => state.models);
  const chosen = usePage(chosenModel);
  if (models.length === 0) return chosen === undefined ? null : <span>{reveal(chosen)}</span>;
  return (
    <>
      <Picker
        id="model-picker"
        label="Model or agent"
        choices={toChoices(models, chosen, hasSettings)}
        value={chosen ?? ""}
        onOpen={() => void actions.refreshModels()}
        onPick={actions.pickModel}
      />
      <AgentOptions />
    </>
  );
}

function AgentOptions() {
  const { actions } = usePageParts();
  const options = usePage(currentOptions) ?? [];
  const isRunning = usePage((state) => runningTurnsOf(state, state.currentId).length > 0);
  const blocked = isRunning ? "It can be changed when the answer has ended." : undefined;
  return options.map((option) => {
    const set = (value: string | boolean): void => void actions.setOption(option, value);
    if (typeof option.value === "boolean") return <Switch key={option.optionId} option={option} blocked={blocked} onSet={set} />;
    return (
      <Picker
        key={option.optionId}
        label={option.name}
        isNamed
        choices={(option.values ?? []).map(({ value, name, description }) => ({ value, name, note: description }))}
        value={option.value}
        blocked={blocked}
        onPick={set}
      />
    );
  });
}

interface SwitchProps {
  readonly option: OptionEntry;
  readonly blocked: string | undefined;
  onSet(value: boolean): void;
}

function Switch({ option: { name, description, value }, blocked, onSet }: SwitchProps) {
  const isOn = value === true;
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-disabled={blocked !== undefined}
      title={blocked ?? (description === undefined ? undefined : reveal(description))}
      className="chip max-w-64"
      onClick={() => (blocked === undefined ? onSet(!isOn) : undefined)}
    >
      <span aria-hidden="true" className={`flex h-3 w-5 rounded-full p-0.5 ${isOn ? "justify-end bg-sea" : "bg-edge"}`}>
        <span className="size-2 rounded-full bg-sheet" />
      </span>
      <span className="truncate">{reveal(name)}</span>
    </button>
  );
}
