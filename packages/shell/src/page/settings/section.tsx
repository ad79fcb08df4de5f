// One part of the settings: a heading, what it is about, and its content.

import type { ReactNode } from "react";

interface SectionProps {
  readonly name: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

export function Section({ name, hint, children }: SectionProps) {
  return (
    <section aria-label={name} className="mt-5 flex flex-col gap-3 border-t border-line pt-4">
      <div>
        <h3 className="text-sm font-semibold">{name}</h3>
        {hint !== undefined && <p className="text-xs text-soft">{hint}</p>}
      </div>
      {children}
    </section>
  );
}
