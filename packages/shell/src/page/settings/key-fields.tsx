// API keys: each can be set, tested and removed, and is never shown. What is shown is where it is kept, and what the vendor says to it.

import { reveal, type KeyEntry, type KeyTest } from "@hawser/protocol";
import { useState, type FormEvent } from "react";
import { Button } from "../components/icon.tsx";
import type { KeyPlace } from "../links/desktop.ts";
import { TextField, useSaving } from "./field.tsx";

interface KeyFieldProps {
  readonly vendor: string;
  /** Undefined while the keychain is asked. */
  readonly entry: Pick<KeyEntry, "place" | "variable" | "problem"> | undefined;
  /** An empty key removes it. */
  onSave(vendor: string, key: string): Promise<void>;
  /** Undefined where the runtime can't. */
  onTest?: ((vendor: string) => Promise<KeyTest>) | undefined;
}

const names: Readonly<Record<string, string>> = { anthropic: "Anthropic", openai: "OpenAI" };

const sentences: Readonly<Record<KeyPlace | "unknown", string>> = {
  unknown: "Asking the system's keychain, which may wait for a password…",
  keychain: "Kept in the system's keychain.",
  environment: "Comes from the environment that the app was started in.",
  file: "Kept in a file that only you can read: no keychain was found.",
  none: "None yet.",
};

const nameOfVendor = (vendor: string): string => (Object.hasOwn(names, vendor) ? (names[vendor] ?? vendor) : reveal(vendor));

export function KeyField({ vendor, entry, onSave, onTest }: KeyFieldProps) {
  const [key, setKey] = useState("");
  const [tested, setTested] = useState<KeyTest | "asking">();
  const { problem, isSaving, save } = useSaving();
  const name = nameOfVendor(vendor);
  const canRemove = entry?.place === "keychain" || entry?.place === "file";
  async function test(): Promise<void> {
    if (!onTest) return;
    setTested("asking");
    setTested(await onTest(vendor).catch((error: unknown) => (setTested(undefined), Promise.reject(error))));
  }
  const saveKey = (value: string): void =>
    void save(async () => {
      setTested(undefined);
      await onSave(vendor, value);
      setKey("");
      if (value !== "") await test();
    });
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    saveKey(key.trim());
  }
  return (
    <form aria-label={`${name} key`} onSubmit={onSubmit}>
      <TextField
        label={name}
        hint={
          entry?.variable === undefined ? sentences[entry?.place ?? "unknown"] : `Comes from ${reveal(entry.variable)} in the environment.`
        }
        problem={problem ?? (entry?.problem === undefined ? undefined : reveal(entry.problem))}
        type="password"
        autoComplete="off"
        value={key}
        onText={setKey}
      >
        <Button type="submit" label="Save key" disabled={key.trim() === "" || isSaving} />
        {onTest && entry && entry.place !== "none" && <Button label="Test" disabled={isSaving} onClick={() => void save(test)} />}
        {canRemove && <Button label="Remove" disabled={isSaving} onClick={() => saveKey("")} />}
      </TextField>
      <TestOutcome tested={tested} name={name} />
    </form>
  );
}

function TestOutcome({ tested, name }: { readonly tested: KeyTest | "asking" | undefined; readonly name: string }) {
  return (
    <p role="status" className="text-xs wrap-anywhere">
      {tested === "asking" && <span className="text-soft">Asking {name}…</span>}
      {typeof tested === "object" && <b className={tested.works ? "text-leaf" : "text-alarm"}>{reveal(tested.message)}</b>}
    </p>
  );
}
