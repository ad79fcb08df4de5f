// How much looks the terminal can take.

import { styleText } from "node:util";
import type { Paint } from "./markdown-stream.ts";
import type { CardStyle } from "./tool-card.ts";

const usualWidth = 80;
const maxWidth = 160;

export const cardStyle = (paint: Paint): CardStyle => ({
  paint,
  get width() {
    return Math.min(process.stdout.columns || usualWidth, maxWidth);
  },
});

/** Without colours Markdown says more than its bare text would. */
export const isPlainTerminal = (): boolean => styleText("bold", "x", { stream: process.stdout }) === "x";
