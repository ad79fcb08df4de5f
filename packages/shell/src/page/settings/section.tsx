// One part of the settings: a heading, what it is about, and its content.

import type { ReactNode } from "react";

interface SectionProps {
  readonly name: string;
  readonly hint?: string;
  /** Nothing stands above it. */
  readonly isFirst?: boolean;
  readonly children: ReactNode;
}

export function Section({ name, hint, isFirst = false, children }: SectionProps) {
  return (
    <section aria-label={name} className={`flex flex-col gap-3 ${isFirst ? "" : "mt-5 border-t border-line pt-4"}`}>
      <div>
        <h3 className="text-sm font-semibold">{name}</h3>
        {hint !== undefined && <p className="text-xs text-soft">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
