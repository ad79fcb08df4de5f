// The theme, and how it is changed. In a desktop window it belongs to the settings, and is kept with them; the
// page is drawn before they have come.

import { useEffect, useRef, useState } from "react";
import { usePageParts } from "../session/page-context.ts";
import { applyTheme, readTheme, themes, type Theme } from "../session/theme.ts";

export function useTheme() {
  const { desktop } = usePageParts();
  const [theme, setTheme] = useState(readTheme);
  // What was pressed twice before the page was drawn again counts twice.
  const shown = useRef(theme);
  const isChosen = useRef(false);
  const saved = useRef(Promise.resolve());
  function show(chosen: Theme): void {
    shown.current = chosen;
    applyTheme(chosen);
    setTheme(chosen);
  }
  useEffect(() => {
    desktop?.read().then(
      ({ settings }) => {
        if (!isChosen.current) show(settings.theme);
      },
      // The last one that was shown will do.
      () => {},
    );
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
