// API keys: each can be set or removed, and is never shown. What is shown is where it is kept.

import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import { vendors, type KeyPlaces, type KeyPlace, type Vendor } from "../links/desktop.ts";
import { TextField, useSaving } from "./field.tsx";

interface KeyFieldsProps {
  /** Undefined while the keychain is asked. */
  readonly places: KeyPlaces | undefined;
  /** An empty key removes it. */
  onSave(vendor: Vendor, key: string): Promise<void>;
}

const names = { anthropic: "Anthropic", openai: "OpenAI" } as const;

const sentences = {
  unknown: "Asking the system's keychain, which may wait for a password…",
  keychain: "Kept in the system's keychain.",
  environment: "Comes from the environment that the app was started in.",
  file: "Kept in a file that only you can read: no keychain was found.",
  none: "None yet.",
} as const;

export function KeyFields({ places, onSave }: KeyFieldsProps) {
  return (
    <section aria-label="API keys" className="mt-5 flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="text-sm font-semibold">API keys</h3>
      {vendors.map((vendor) => (
        <KeyField key={vendor} vendor={vendor} place={places?.[vendor]} onSave={onSave} />
      ))}
    </section>
  );
}

interface KeyFieldProps extends Pick<KeyFieldsProps, "onSave"> {
  readonly vendor: Vendor;
  readonly place: KeyPlace | undefined;
}

function KeyField({ vendor, place, onSave }: KeyFieldProps) {
  const [key, setKey] = useState("");
  const { problem, save } = useSaving();
  const canRemove = place === "keychain" || place === "file";
  const saveKey = (value: string): void =>
    void save(async () => {
      await onSave(vendor, value);
      setKey("");
    });
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    saveKey(key.trim());
  }
  return (
    <form aria-label={`${names[vendor]} key`} onSubmit={onSubmit}>
      <TextField
        label={names[vendor]}
        hint={sentences[place ?? "unknown"]}
        problem={problem}
        type="password"
        autoComplete="off"
        value={key}
        onText={setKey}
      >
        <Button type="submit" label="Save key" disabled={key.trim() === ""} />
        {canRemove && <Button label="Remove" onClick={() => saveKey("")} />}
      </TextField>
    </form>
  );
}
