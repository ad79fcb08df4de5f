// The line above the conversation: its title, and the switches of the page.

import { usePage } from "../session/page-context.ts";
import type { Theme } from "../session/theme.ts";
import { Icon, IconButton } from "./icon.tsx";
import type { Switches } from "./keys.ts";

interface HeaderProps {
  readonly theme: Theme;
  readonly isWireOpen: boolean;
  readonly switches: Switches;
}

const themeIcons = { system: "half", light: "sun", dark: "moon" } as const;

export function Header({ theme, isWireOpen, switches }: HeaderProps) {
  const title = usePage(({ threads, currentId }) => threads[currentId]?.title ?? "");
  return (
    <header className="flex items-center gap-1 border-b border-line px-2 py-1.5 sm:px-4">
      <IconButton name="menu" label="Show conversations" className="md:hidden" onClick={switches.sidebar} />
      <h1 className="min-w-0 flex-1 truncate px-1 text-[0.95rem] font-semibold">{title || "New conversation"}</h1>
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
      <IconButton name={themeIcons[theme]} label={`Theme: ${theme}`} title={`Theme: ${theme} (Alt L)`} onClick={switches.theme} />
      {switches.settings && <IconButton name="settings" label="Settings" title="Settings (Alt ,)" onClick={switches.settings} />}
      <IconButton name="keys" label="Keys" title="Keys (?)" onClick={switches.keys} />
    </header>
  );
}
