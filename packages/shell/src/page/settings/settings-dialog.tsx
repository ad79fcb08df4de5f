// The settings: those of the desktop app in its window, and those that the runtime keeps, in every page. What is refused is said, and
// nothing is lost. Keys are apart: each is saved on its own, and never shown again.

import { reveal } from "@hawser/protocol";
import { Dialog } from "../components/dialog.tsx";
import { Button } from "../components/icon.tsx";
import { vendors, type Desktop } from "../links/desktop.ts";
import { useHasSettings, usePageParts } from "../session/page-context.ts";
import type { Theme } from "../session/theme.ts";
import { AgentForm, Agents } from "./agent-form.tsx";
import { DesktopSettings } from "./desktop-settings.tsx";
import { McpServers } from "./mcp-servers.tsx";
import { ModelServers } from "./model-servers.tsx";
import { Section } from "./section.tsx";
import { useRuntimeSettings } from "./use-runtime-settings.ts";

interface SettingsDialogProps {
  readonly desktop?: Desktop | undefined;
  onTheme(theme: Theme): void;
  /** Shows what the agent is told. */
  onInstructions(): void;
  onClose(): void;
}

export function SettingsDialog({ desktop, onTheme, onInstructions, onClose }: SettingsDialogProps) {
  const { session } = usePageParts();
  const canTest = useHasSettings();
  return (
    <Dialog
      label="Settings"
      hasHeading
      className="max-h-[92dvh] w-[min(44rem,94vw)] overflow-y-auto rounded-2xl border border-line p-5"
      onClose={onClose}
    >
      {desktop && <DesktopSettings desktop={desktop} session={session} canTest={canTest} onTheme={onTheme} onClose={onClose} />}
      <RuntimeParts isOfDesktop={desktop !== undefined} onInstructions={onInstructions} />
    </Dialog>
  );
}

function RuntimeParts({ isOfDesktop, onInstructions }: { readonly isOfDesktop: boolean; onInstructions(): void }) {
  const hasSettings = useHasSettings();
  const { settings, problem, change } = useRuntimeSettings(hasSettings);
  if (!hasSettings) return null;
  return (
    <>
      {problem !== undefined && (
        <p role="alert" className="mb-3 text-sm text-alarm wrap-anywhere">
          {reveal(problem)}
        </p>
      )}
      {!settings && problem === undefined && <p className="text-sm text-soft">Asking the agent…</p>}
      {settings && (
        <>
          <ModelServers settings={settings} change={change} keptElsewhere={isOfDesktop ? vendors : []} />
          {!isOfDesktop && <AgentForm settings={settings} change={change} />}
          <McpServers servers={settings.mcpServers} folderServers={settings.folderServers ?? []} change={change} />
          <Agents settings={settings} change={change} />
          <Section
            name="Instructions and skills"
            hint="What the agent is told where this conversation works: AGENTS.md, skills, and the sandbox."
          >
            <Button label="Show what is in force" className="self-start" onClick={onInstructions} />
          </Section>
          <p className="mt-4 text-xs text-soft wrap-anywhere">Kept in {reveal(settings.file)}.</p>
        </>
      )}
    </>
  );
}
