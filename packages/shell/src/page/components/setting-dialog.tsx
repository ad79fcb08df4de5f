// What the agent is told besides the conversation, and what surrounds its commands: instructions and skills in force where the
// conversation works, what was left out and why, and the sandbox. All of it is text of files, shown as it is.

import { describeThrown, reveal, type StatusData } from "@hawser/protocol";
import { useEffect, useState, type ReactNode } from "react";
import { usePage, usePageParts } from "../session/page-context.ts";
import { Dialog } from "./dialog.tsx";

export function SettingDialog({ onClose }: { onClose(): void }) {
  const { session } = usePageParts();
  const currentId = usePage((state) => state.currentId);
  const [status, setStatus] = useState<StatusData | string>();
  useEffect(() => {
    let isLeft = false;
    const tell = (outcome: StatusData | string): void => (isLeft ? undefined : setStatus(outcome));
    session.client.status(currentId).then(tell, (error: unknown) => tell(describeThrown(error)));
    return () => {
      isLeft = true;
    };
  }, [session, currentId]);
  return (
    <Dialog
      label="Instructions in force"
      hasHeading
      className="max-h-[85dvh] w-[min(40rem,94vw)] overflow-y-auto rounded-2xl border border-line p-5"
      onClose={onClose}
    >
      {status === undefined && <p className="text-sm text-soft">Asking the agent…</p>}
      {typeof status === "string" && <p className="text-sm whitespace-pre-wrap text-alarm wrap-anywhere">{reveal(status)}</p>}
      {typeof status === "object" && <Setting status={status} />}
    </Dialog>
  );
}

function Setting({ status: { instructions = [], skills = [], leftOut = [], sandbox } }: { readonly status: StatusData }) {
  return (
    <div className="space-y-4 text-sm">
      <Section name="Instructions" isEmpty={instructions.length === 0} hint="None. An AGENTS.md in the folder would be read.">
        {instructions.map(({ path, bytes }) => (
          <Row key={path} name={path} note={`${bytes.toLocaleString("en")} bytes`} />
        ))}
      </Section>
      <Section name="Skills" isEmpty={skills.length === 0} hint="None.">
        {skills.map(({ name, description, path }) => (
          <Row key={path} name={name} note={description} />
        ))}
      </Section>
      {leftOut.length > 0 && (
        <Section name="Left out" isEmpty={false} hint="">
          {leftOut.map(({ path, reason }) => (
            <Row key={path} name={path} note={reason} />
          ))}
        </Section>
      )}
      {sandbox && (
        <Section name="Sandbox" isEmpty={false} hint="">
          <Row
            name={sandbox.state === "on" ? "Commands run in a sandbox" : `Sandbox: ${sandbox.state}`}
            note={[sandbox.network ? "with the network" : "without the network", sandbox.reason]
              .filter((text) => text !== undefined)
              .join("; ")}
          />
        </Section>
      )}
    </div>
  );
}

interface SectionProps {
  readonly name: string;
  readonly isEmpty: boolean;
  readonly hint: string;
  readonly children: ReactNode;
}

function Section({ name, isEmpty, hint, children }: SectionProps) {
  return (
    <section aria-label={name}>
      <h3 className="text-xs font-semibold text-soft">{name}</h3>
      {isEmpty ? <p className="mt-1 text-soft">{hint}</p> : <ul className="mt-1 space-y-1.5">{children}</ul>}
    </section>
  );
}

function Row({ name, note }: { readonly name: string; readonly note: string }) {
  return (
    <li>
      <span className="block font-mono text-xs wrap-anywhere">{reveal(name)}</span>
      <span className="block text-xs text-soft wrap-anywhere">{reveal(note)}</span>
    </li>
  );
}
