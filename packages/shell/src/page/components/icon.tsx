// The few signs that the page uses, as lines of the text's own colour, and the buttons that carry them. A sign says
// nothing to a screen reader: the button around it has a name.

import type { ComponentProps } from "react";

const paths = {
  plus: "M8 3v10M3 8h10",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  close: "m4 4 8 8M12 4l-8 8",
  send: "M8 13V3.5M4 7.2 8 3.2l4 4",
  stop: "M4.5 4.5h7v7h-7z",
  clip: "m6 8.5 4.2-4.2a1.8 1.8 0 0 1 2.6 2.6l-5.6 5.6a3.2 3.2 0 0 1-4.6-4.6L8 2.6",
  pencil: "m3 13 .6-2.9 7-7a1.4 1.4 0 0 1 2 2l-7 7L3 13Z",
  trash: "M3 4.5h10M6.5 4V2.7h3V4M4.5 4.5l.6 8.6h5.8l.6-8.6",
  again: "M12.8 6.2A5.2 5.2 0 1 0 13 9.6M13 2.8v3.6H9.4",
  copy: "M5.5 5.5h7.3v7.3H5.5zM10.4 5.3V3.2H3.2v7.2h2.1",
  check: "m3 8.5 3.3 3.3L13 4.8",
  down: "M8 3v9.5M4 8.8l4 4 4-4",
  open: "m4 6 4 4 4-4",
  shut: "m6 4 4 4-4 4",
  ring: "M8 3.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2Z",
  now: "M8 3.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2ZM6.9 6v4L10 8Z",
  wire: "M2.5 5.5h9M9 3l2.5 2.5L9 8M13.5 10.5h-9M7 8l-2.5 2.5L7 13",
  keys: "M2.2 4.5h11.6v7H2.2zM4.6 6.8h.01M7 6.8h.01M9.3 6.8h.01M11.5 6.8h.01M5.5 9.3h5",
  settings:
    "M2.5 4.5h6M12.5 4.5h1M2.5 11.5h1M7.5 11.5h6M10.5 2.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4ZM5.5 9.8a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z",
  half: "M8 2.4a5.6 5.6 0 1 0 0 11.2A5.6 5.6 0 0 0 8 2.4ZM8 2.4v11.2",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, className = "size-4" }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg viewBox="0 0 16 16" className={`shrink-0 ${className}`} aria-hidden="true" focusable="false">
      <path d={paths[name]} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}

interface ButtonProps extends ComponentProps<"button"> {
  readonly label: string;
  readonly icon?: IconName;
  /** For what stands beside a text. */
  readonly isSmall?: boolean;
}

export function Button({ label, icon, isSmall = false, className = "", ...others }: ButtonProps) {
  return (
    <button type="button" className={`button ${isSmall ? "button-quiet min-h-7 px-2 text-xs" : ""} ${className}`} {...others}>
      {icon && <Icon name={icon} className={isSmall ? "size-3.5" : "size-4"} />}
      {label}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  readonly name: IconName;
  /** For a screen reader, and shown when the pointer rests. */
  readonly label: string;
}

export function IconButton({ name, label, className = "", ...others }: IconButtonProps) {
  return (
    <button type="button" className={`button button-quiet min-w-9 px-2 ${className}`} aria-label={label} title={label} {...others}>
      <Icon name={name} />
    </button>
  );
}
