// The whole page: conversations on the left, the one on the screen in the middle, the wire view on the
// right. On a narrow screen the sides come over it.

import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { usePageParts, usePage } from "../session/page-context.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { Dialog } from "./dialog.tsx";
import { Header } from "./header.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { LinkBanner } from "./link-banner.tsx";
import { MessageList } from "./message-list.tsx";
import { Sidebar } from "./sidebar.tsx";
import { StatusBar } from "./status-bar.tsx";
import { usePageKeys } from "./keys.ts";
import { useTheme } from "../session/theme.ts";
import { IconButton } from "./icon.tsx";

const WireView = lazy(async () => ({ default: (await import("../wire/wire-view.tsx")).WireView }));
const SettingsDialog = lazy(async () => ({ default: (await import("../settings/settings-dialog.tsx")).SettingsDialog }));

export function App() {
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const [isWireOpen, setIsWireOpen] = useState(false);
  const [areKeysShown, setAreKeysShown] = useState(false);
  const [areSettingsShown, setAreSettingsShown] = useState(false);
  const { desktop } = usePageParts();
  const theme = useTheme();
  const switches = {
    wire: () => setIsWireOpen(!isWireOpen),
    theme: theme.next,
    keys: () => setAreKeysShown(true),
    ...(desktop && { settings: () => setAreSettingsShown(true) }),
    sidebar: () => setIsDrawerOpen(true),
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
        <Composer />
        <StatusBar />
      </main>
      <Suspense fallback={null}>{isWireOpen && <WireView onClose={() => setIsWireOpen(false)} />}</Suspense>
      <Suspense fallback={null}>
        {desktop && areSettingsShown && (
          <SettingsDialog desktop={desktop} onTheme={theme.show} onClose={() => setAreSettingsShown(false)} />
        )}
      </Suspense>
      {areKeysShown && <KeysDialog onClose={() => setAreKeysShown(false)} />}
      <Announcer />
    </div>
  );
}

/** A column of its own, or a drawer where there is no room for one. */
function Side({ isDrawerOpen, onClose }: { readonly isDrawerOpen: boolean; onClose(): void }) {
  const isWide = useIsWide();
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

const query = "(min-width: 48rem)";

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener("change", listener);
  return () => media.removeEventListener("change", listener);
}

const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => matchMedia(query).matches);

/** What did not work, until it is dismissed. */
function Notices() {
  const { session } = usePageParts();
  const notices = usePage((state) => state.notices);
  return (
    <div role="alert" className="mx-auto w-full max-w-3xl space-y-2 px-3 sm:px-0">
      {notices.map(({ key, text }) => (
        <div key={key} className="flex items-center gap-2 rounded-lg border border-alarm bg-alarm-wash mb-2 py-1 pr-1 pl-3 text-sm">
          <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
          <IconButton name="close" label="Dismiss" onClick={() => session.store.dispatch({ type: "notice_dismissed", key })} />
        </div>
      ))}
    </div>
  );
}
