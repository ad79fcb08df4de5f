// MCP servers that can't be used, each with the last that is known about it. Their tools are missing, which nothing
// else on the page would say.

import { cutText, reveal } from "@hawser/wire";
import { usePage } from "../session/page-context.ts";

const maxReasonChars = 300;

export function ServerFaults() {
  const servers = usePage(({ status }) => status?.servers);
  const broken = (servers ?? []).filter(({ state }) => state === "failed" || state === "lost");
  return (
    <div role="status" className="w-full space-y-0.5 empty:hidden">
      {broken.map(({ name, state, reason }) => (
        <p key={name} className="wrap-anywhere text-alarm">
          {describe(name, state)}
          {reason !== undefined && `: ${reveal(cutText(reason, maxReasonChars))}`}
        </p>
      ))}
    </div>
  );
}

function describe(name: string, state: string): string {
  const what = state === "failed" ? "can't be connected to" : "is lost; the next call of one of its tools tries again";
  return `MCP server ${reveal(JSON.stringify(name))} ${what}`;
}
