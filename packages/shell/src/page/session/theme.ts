// Light, dark, or as the system says. The choice is kept in this browser; in a desktop window it belongs to the settings,
// and is kept with them, though the page is drawn before they have come.

import { useEffect, useRef, useState } from "react";
import { orUndefined } from "../../or-undefined.ts";
import { usePageParts } from "./page-context.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "hawser-theme";

export function readTheme(): Theme {
  const kept = orUndefined(() => localStorage.getItem(storageKey));
  return themes.find((theme) => theme === kept) ?? "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  // A browser may keep nothing; it then lasts as long as the page.
  orUndefined(() => localStorage.setItem(storageKey, theme));
}

export function useTheme() {
  const { desktop } = usePageParts();
  const [theme, setTheme] = useState(readTheme);
  // What was pressed twice before the page was drawn again counts twice.
  const shown = useRef(theme);
  const isChosen = useRef(false);
  const saved = useRef<Promise<unknown>>(Promise.resolve());
  function show(chosen: Theme): void {
    shown.current = chosen;
    applyTheme(chosen);
    setTheme(chosen);
  }
  useEffect(() => {
    const read = desktop?.read().then(({ settings }) => (isChosen.current ? undefined : show(settings.theme)));
    // The last one that was shown will do.
    read?.catch(() => {});
  }, [desktop]);
  return {
    theme,
    show,
    next() {
      const chosen = themes[(themes.indexOf(shown.current) + 1) % themes.length] ?? "system";
      isChosen.current = true;
      show(chosen);
      // One after the other, so that the last one stays. Where it can't be kept, it lasts as long as the window.
      saved.current = saved.current.then(() => desktop?.saveTheme(chosen)).catch(() => {});
    },
  };
}
