// The settings of the desktop app, which the process behind its window keeps. Nothing counts before it is saved; keys are saved each on
// its own.

import { useEffect, useRef, useState } from "react";
import { describeThrown, type KeyTest } from "@hawser/protocol";
import { vendors, type Desktop, type DesktopState, type KeyPlaces, type Vendor } from "../links/desktop.ts";
import { nextGreeting } from "../session/next-greeting.ts";
import type { Session } from "../session/session.ts";
import type { Theme } from "../session/theme.ts";
import { KeyField } from "./key-fields.tsx";
import { Section } from "./section.tsx";
import { SettingsForm } from "./settings-form.tsx";

interface DesktopSettingsProps {
  readonly desktop: Desktop;
  /** The agent; it tests keys. */
  readonly session: Pick<Session, "store" | "client">;
  /** Whether it can. */
  readonly canTest: boolean;
  onTheme(theme: Theme): void;
  onClose(): void;
}

export function DesktopSettings({ desktop, session, canTest, onTheme, onClose }: DesktopSettingsProps) {
  const [state, setState] = useState<DesktopState>();
  const [places, setPlaces] = useState<KeyPlaces>();
  const [problem, setProblem] = useState("");
  /** The agent that has a new key, which the next test is for. Saving does not wait for it: the key leaves the page at once. */
  const starting = useRef<() => Promise<void>>(undefined);
  const complain = (error: unknown): void => setProblem(describeThrown(error));
  function load(): void {
    desktop.read().then(setState, complain);
    desktop.readKeys().then(setPlaces, complain);
  }
  useEffect(load, [desktop]);
  async function saveKey(vendor: string, key: string): Promise<void> {
    const untilGreeted = nextGreeting(session.store);
    const isStartedAgain = await desktop.saveKey(vendor as Vendor, key);
    load();
    if (isStartedAgain && canTest && key !== "") starting.current = untilGreeted;
  }
  async function testKey(vendor: string): Promise<KeyTest> {
    const wait = starting.current;
    starting.current = undefined;
    await wait?.();
    return session.client.testKey(vendor);
  }
  const complaint = problem || state?.settingsProblem;
  return (
    <>
      {complaint && (
        <p role="alert" className="mb-3 text-sm text-alarm">
          {complaint}
        </p>
      )}
      {!state && !complaint && <p className="text-sm text-soft">Loading…</p>}
      {state && (
        <>
          <SettingsForm
            state={state}
            onSave={async (settings) => {
              await desktop.save(settings);
              onTheme(settings.theme);
              onClose();
            }}
            onCancel={onClose}
          />
          <Section name="API keys">
            {vendors.map((vendor) => (
              <KeyField
                key={vendor}
                vendor={vendor}
                entry={places && { place: places[vendor] }}
                onSave={saveKey}
                onTest={canTest ? testKey : undefined}
              />
            ))}
          </Section>
          <p className="mt-4 text-xs wrap-anywhere text-soft">
            Kept in {state.where.settingsFile}; the folder of the agent's own is in {state.where.dataFolder}.
          </p>
        </>
      )}
    </>
  );
}
