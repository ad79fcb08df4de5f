// The theme, and how it is changed. In a desktop window it belongs to the settings, and is kept with them.

import { useState } from "react";
import { usePageParts } from "../session/page-context.ts";
import { applyTheme, readTheme, themes, type Theme } from "../session/theme.ts";

export function useTheme() {
  const { desktop } = usePageParts();
  const [theme, setTheme] = useState(readTheme);
  function show(chosen: Theme): void {
    applyTheme(chosen);
    setTheme(chosen);
  }
  return {
    theme,
    show,
    next() {
      const chosen = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
      show(chosen);
      // Where it can't be kept, it lasts as long as the window.
      desktop
        ?.read()
        .then(({ settings }) => desktop.save({ ...settings, theme: chosen }))
        .catch(() => {});
    },
  };
}
