// The settings of the desktop app. Nothing counts before it is saved; what is refused is said, and nothing is
// lost. Keys are apart: each is saved on its own, and never shown again.

import { useEffect, useState } from "react";
import { describeThrown } from "@hawser/protocol";
import { Dialog } from "../components/dialog.tsx";
import type { Desktop, DesktopState, KeyPlaces } from "../links/desktop.ts";
import type { Theme } from "../session/theme.ts";
import { KeyFields } from "./key-fields.tsx";
import { SettingsForm } from "./settings-form.tsx";

interface SettingsDialogProps {
  readonly desktop: Desktop;
  onTheme(theme: Theme): void;
  onClose(): void;
}

export function SettingsDialog({ desktop, onTheme, onClose }: SettingsDialogProps) {
  const [state, setState] = useState<DesktopState>();
  const [places, setPlaces] = useState<KeyPlaces>();
  const [problem, setProblem] = useState("");
  const complain = (error: unknown): void => setProblem(describeThrown(error));
  function load(): void {
    desktop.read().then(setState, complain);
    desktop.readKeys().then(setPlaces, complain);
  }
  useEffect(load, [desktop]);
  const complaint = problem || state?.settingsProblem;
  return (
    <Dialog
      label="Settings"
      hasHeading
      className="max-h-[92dvh] w-[min(40rem,94vw)] overflow-y-auto rounded-2xl border border-line p-5"
      onClose={onClose}
    >
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
          <KeyFields
            places={places}
            onSave={async (vendor, key) => {
              await desktop.saveKey(vendor, key);
              load();
            }}
          />
          <p className="mt-4 text-xs wrap-anywhere text-soft">
            Kept in {state.where.settingsFile}; the folder of the agent's own is in {state.where.dataFolder}.
          </p>
        </>
      )}
    </Dialog>
  );
}
