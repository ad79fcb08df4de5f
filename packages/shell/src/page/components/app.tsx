// The whole page: conversations on the left, the one on the screen in the middle, the wire view on the
// right. On a narrow screen the sides come over it.

import { lazy, Suspense, useEffect, useEffectEvent, useState } from "react";
import { useHasSettings, usePageParts, usePage } from "../session/page-context.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { Dialog } from "./dialog.tsx";
import { KeysDialog } from "./keys.tsx";
import { LinkBanner } from "./link-banner.tsx";
import { MessageList } from "./message-list.tsx";
import { Sidebar } from "./sidebar.tsx";
import { saveAsMarkdown } from "./page-commands.ts";
import { StatusBar } from "./status-bar.tsx";
import { canNotify, isNotifying, switchNotifications } from "../session/notifications.ts";
import { usePageKeys, type Switches } from "./keys.tsx";
import { useTheme, type Theme } from "../session/theme.ts";
import { Icon, IconButton } from "./icon.tsx";
import { useIsWide } from "./use-is-wide.ts";

const FolderDialog = lazy(async () => ({ default: (await import("./folder-dialog.tsx")).FolderDialog }));
const SettingDialog = lazy(async () => ({ default: (await import("./setting-dialog.tsx")).SettingDialog }));
const ReviewDialog = lazy(async () => ({ default: (await import("../tools/review-dialog.tsx")).ReviewDialog }));
const TrustDialog = lazy(async () => ({ default: (await import("./folder-dialog.tsx")).TrustDialog }));
const WireView = lazy(async () => ({ default: (await import("../wire/wire-view.tsx")).WireView }));
const SettingsDialog = lazy(async () => ({ default: (await import("../settings/settings-dialog.tsx")).SettingsDialog }));

export function App() {
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const [isWireOpen, setIsWireOpen] = useState(false);
  const [areKeysShown, setAreKeysShown] = useState(false);
  const [areSettingsShown, setAreSettingsShown] = useState(false);
  const [isFolderAsked, setIsFolderAsked] = useState(false);
  const [isSettingShown, setIsSettingShown] = useState(false);
  const [areChangesShown, setAreChangesShown] = useState(false);
  const trust = usePage((state) => state.trust);
  const { desktop } = usePageParts();
  const hasSettings = useHasSettings();
  const theme = useTheme();
  const switches = {
    wire: () => setIsWireOpen(!isWireOpen),
    theme: theme.next,
    keys: () => setAreKeysShown(true),
    ...((desktop ?? hasSettings) && { settings: () => setAreSettingsShown(true) }),
    sidebar: () => setIsDrawerOpen(true),
    folder: () => setIsFolderAsked(true),
    setting: () => setIsSettingShown(true),
    changes: () => setAreChangesShown(true),
  };
  usePageKeys(switches);
  return (
    <div className="flex h-dvh overflow-hidden">
      <Side isDrawerOpen={isDrawerOpen} onClose={() => setIsDrawerOpen(false)} />
      <main className="flex min-w-0 flex-1 flex-col">
        <Header theme={theme.theme} isWireOpen={isWireOpen} switches={switches} />
        <LinkBanner />
        <MessageList />
        <Notices />
        <Composer switches={switches} />
        <StatusBar switches={switches} />
      </main>
      <Suspense fallback={null}>{isWireOpen && <WireView onClose={() => setIsWireOpen(false)} />}</Suspense>
      <Suspense fallback={null}>
        {areSettingsShown && (
          <SettingsDialog
            desktop={desktop}
            onTheme={theme.show}
            onInstructions={() => (setAreSettingsShown(false), setIsSettingShown(true))}
            onClose={() => setAreSettingsShown(false)}
          />
        )}
      </Suspense>
      <Suspense fallback={null}>
        {isFolderAsked && <FolderDialog onClose={() => setIsFolderAsked(false)} />}
        {isSettingShown && <SettingDialog onClose={() => setIsSettingShown(false)} />}
        {areChangesShown && <ReviewDialog onClose={() => setAreChangesShown(false)} />}
        {trust && <TrustDialog key={trust.permissionId} question={trust} />}
      </Suspense>
      {areKeysShown && <KeysDialog onClose={() => setAreKeysShown(false)} />}
      <Announcer />
    </div>
  );
}

interface HeaderProps {
  readonly theme: Theme;
  readonly isWireOpen: boolean;
  readonly switches: Switches;
}

const themeIcons = { system: "half", light: "sun", dark: "moon" } as const;

/** The line above the conversation: its title, and the switches of the page. */
function Header({ theme, isWireOpen, switches }: HeaderProps) {
  const title = usePage(({ threads, currentId }) => threads[currentId]?.title ?? "");
  const canReview = usePage(({ runtime }) => runtime?.info.capabilities.includes("changes") ?? false);
  return (
    <header className="flex items-center gap-1 border-b border-line px-2 py-1.5 sm:px-4">
      <IconButton name="menu" label="Show conversations" className="md:hidden" onClick={switches.sidebar} />
      <h1 dir="auto" className="min-w-0 flex-1 truncate px-1 text-base font-semibold">
        {title || "New conversation"}
      </h1>
      <button
        type="button"
        className={`button px-2 ${isWireOpen ? "border-sea bg-sea-wash" : "button-quiet"}`}
        aria-label="Wire view"
        aria-pressed={isWireOpen}
        title="Wire view: every protocol message (Alt W)"
        onClick={switches.wire}
      >
        <Icon name="wire" />
        <span className="hidden text-xs sm:inline">Wire view</span>
      </button>
      {canReview && <IconButton name="changes" label="Changes" title="What was changed in files (Alt R)" onClick={switches.changes} />}
      <ConversationActions />
      <IconButton name={themeIcons[theme]} label={`Theme: ${theme}`} title={`Theme: ${theme} (Alt L)`} onClick={switches.theme} />
      {switches.settings && (
        <IconButton id="settings-button" name="settings" label="Settings" title="Settings (Alt ,)" onClick={switches.settings} />
      )}
      <IconButton name="keys" label="Keys" title="Keys (?)" onClick={switches.keys} />
    </header>
  );
}

/** What can be done with the conversation on the screen, and with the page while it is hidden. */
function ConversationActions() {
  const parts = usePageParts();
  const [isNotified, setIsNotified] = useState(isNotifying);
  async function switchBell(): Promise<void> {
    const outcome = await switchNotifications(!isNotified);
    if (typeof outcome === "string") parts.session.notify(outcome);
    else setIsNotified(outcome);
  }
  return (
    <>
      <IconButton name="save" label="Save as Markdown" className="hidden sm:inline-flex" onClick={() => saveAsMarkdown(parts)} />
      {canNotify() && (
        <IconButton
          name={isNotified ? "bell" : "mute"}
          label="Notify me when the tab is hidden"
          aria-pressed={isNotified}
          title={
            isNotified
              ? "You are notified when the agent has answered or asks while this tab is hidden"
              : "Notify me when the tab is hidden"
          }
          onClick={() => void switchBell()}
        />
      )}
    </>
  );
}

/** A column of its own, or a drawer where there is no room for one. */
function Side({ isDrawerOpen, onClose }: { readonly isDrawerOpen: boolean; onClose(): void }) {
  const isWide = useIsWide();
  const onWide = useEffectEvent(onClose);
  // A drawer that was open must not lie over the page when the window is narrow again.
  useEffect(() => (isWide ? onWide() : undefined), [isWide]);
  if (isWide)
    return (
      <aside aria-label="Side" className="w-64 shrink-0 border-r border-line bg-raised/40">
        <Sidebar onChosen={() => {}} />
      </aside>
    );
  if (!isDrawerOpen) return null;
  return (
    <Dialog label="Conversation list" className="m-0 h-dvh max-h-dvh w-72 max-w-[85vw] border-r border-line" onClose={onClose}>
      <Sidebar onChosen={onClose} />
    </Dialog>
  );
}

/** What did not work, until it is dismissed. */
function Notices() {
  const { session } = usePageParts();
  const notices = usePage((state) => state.notices);
  return (
    <div role="alert" className="px-3 sm:px-6">
      {notices.map(({ key, text, isNews }) => (
        <div
          key={key}
          className={`mx-auto mb-2 flex max-w-3xl items-center gap-2 rounded-lg border py-1 pr-1 pl-3 text-sm ${isNews ? "border-line bg-sea-wash" : "border-alarm bg-alarm-wash"}`}
        >
          <p className="min-w-0 flex-1 whitespace-pre-line wrap-anywhere">{text}</p>
          <IconButton name="close" label="Dismiss" onClick={() => session.store.dispatch({ type: "notice_dismissed", key })} />
        </div>
      ))}
    </div>
  );
}
