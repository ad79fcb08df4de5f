// Light, dark, or as the system says. The choice is kept in this browser.

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "hawser-theme";

export function readTheme(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? "system";
  } catch {
    // A browser may keep nothing; the system's theme is then as good as any.
    return "system";
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // It then lasts as long as the page.
  }
}
