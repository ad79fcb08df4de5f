// The whole page: conversations on the left, the one on the screen in the middle, the wire view on the
// right. On a narrow screen the sides come over it.

import { lazy, Suspense, useState } from "react";
import { applyTheme, readTheme, themes } from "../session/theme.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { Dialog } from "./dialog.tsx";
import { Header } from "./header.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { LinkBanner } from "./link-banner.tsx";
import { MessageList } from "./message-list.tsx";
import { Notices } from "./notices.tsx";
import { Sidebar } from "./sidebar.tsx";
import { StatusBar } from "./status-bar.tsx";
import { useIsWide } from "./use-is-wide.ts";
import { usePageKeys } from "./use-page-keys.ts";

const WireView = lazy(async () => ({ default: (await import("../wire/wire-view.tsx")).WireView }));

export function App() {
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const [isWireOpen, setIsWireOpen] = useState(false);
  const [areKeysShown, setAreKeysShown] = useState(false);
  const [theme, setTheme] = useState(readTheme);
  const isWide = useIsWide();
  function changeTheme(): void {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    applyTheme(next);
    setTheme(next);
  }
  const switches = {
    wire: () => setIsWireOpen(!isWireOpen),
    theme: changeTheme,
    keys: () => setAreKeysShown(true),
    sidebar: () => setIsDrawerOpen(true),
  };
  usePageKeys(switches);
  return (
    <div className="flex h-dvh overflow-hidden">
      {isWide && (
        <aside aria-label="Side" className="w-64 shrink-0 border-r border-line bg-raised/40">
          <Sidebar onChosen={() => {}} />
        </aside>
      )}
      {!isWide && isDrawerOpen && (
        <Dialog
          label="Conversation list"
          className="m-0 h-dvh max-h-dvh w-72 max-w-[85vw] border-r border-line"
          onClose={() => setIsDrawerOpen(false)}
        >
          <Sidebar onChosen={() => setIsDrawerOpen(false)} />
        </Dialog>
      )}
      <main className="flex min-w-0 flex-1 flex-col">
        <Header
          theme={theme}
          isWireOpen={isWireOpen}
          onMenu={switches.sidebar}
          onTheme={switches.theme}
          onWire={switches.wire}
          onKeys={switches.keys}
        />
        <LinkBanner />
        <MessageList />
        <Notices />
        <Composer />
        <StatusBar />
      </main>
      {isWireOpen && (
        <Suspense fallback={null}>
          <WireView onClose={() => setIsWireOpen(false)} />
        </Suspense>
      )}
      {areKeysShown && <KeysDialog onClose={() => setAreKeysShown(false)} />}
      <Announcer />
    </div>
  );
}
