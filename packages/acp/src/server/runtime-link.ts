// Our own runtime in this very process, as the host client sees one: the agent protocol over a pair of transports in memory.

import type { AgentLink } from "@hawser/agent/host/link";
import { JsonText, type Transport } from "@hawser/wire/internal";

export function createRuntimeLink(transport: Transport): AgentLink {
  async function* incoming(): AsyncGenerator<{ value: unknown; text: string }> {
    for await (const item of transport.incoming) if (item.kind === "message") yield { value: item.value, text: item.text };
  }
  return {
    incoming: incoming(),
    send: (line) => transport.send(new JsonText(line)),
    close: () => void transport.close(),
  };
}
