// A choice of a few, side by side: radio buttons that look like one control.

import { useId } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly name: string; readonly icon: IconName }[];
  onChoose(value: Value): void;
}

export function Segments<Value extends string>({ label, value, choices, onChoose }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="flex rounded-lg border border-line p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className={`flex min-h-7 cursor-pointer items-center gap-1.5 rounded-md px-2 text-xs has-focus-visible:outline-2 has-focus-visible:outline-sea ${choice.value === value ? "bg-sea-wash font-semibold text-ink" : "text-soft hover:text-ink"}`}
        >
          <input type="radio" className="sr-only" name={name} checked={choice.value === value} onChange={() => onChoose(choice.value)} />
          <Icon name={choice.icon} className="size-3.5" />
          {choice.name}
        </label>
      ))}
    </fieldset>
  );
}
