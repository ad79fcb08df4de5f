// The Agent Client Protocol on both sides. What speaks it is loaded when it is used.

import type { Transport } from "@hawser/wire";
import type { ServeAcpOptions } from "./server/serve-acp.ts";

export type { ServeAcpOptions } from "./server/serve-acp.ts";

/** Our runtime as an ACP agent, for editors. */
export async function serveAcp(transport: Transport, options: ServeAcpOptions): Promise<void> {
  const server = await import("./server/serve-acp.ts");
  return server.serveAcp(transport, options);
}
