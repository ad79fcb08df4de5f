// The API document for what is no call: listings, tools and completion. It is looked for as calls do, and
// fetched with the same token, limits and redaction.

import { HawserError } from "@hawser/wire";
import type { GatewayOptions } from "./call.ts";
import { resolveTarget } from "./config/resolve-target.ts";
import { openGatewaySource } from "./gateway-source.ts";
import { findCachedIndex } from "./openapi/cached-index.ts";
import { loadIndex } from "./openapi/load-index.ts";
import type { OperationIndex } from "./openapi/operation.ts";

/** A file needs no gateway: whether one is configured matters only where there is no file. */
export async function loadApiIndex(options: GatewayOptions): Promise<OperationIndex> {
  const { specFile, cwd, env } = options;
  const source = await openGatewaySource(options).catch((error: unknown) => error as HawserError);
  if (!(source instanceof Error)) {
    try {
      return await loadIndex({ specFile, cwd, env, gateway: source });
    } finally {
      await source.close();
    }
  }
  return loadIndex({ specFile, cwd, env }).catch((error: unknown) => {
    if (specFile !== undefined || !HawserError.isInstance(error)) throw error;
    throw new HawserError("usage", `${error.message}; and it can't be fetched: ${source.message}`, { cause: error });
  });
}

/** What an earlier load left of it, however old that is: no document is read and nobody is asked. Nothing if there is none. */
export async function loadCachedIndex(options: GatewayOptions = {}): Promise<OperationIndex | undefined> {
  const { specFile, cwd, env } = options;
  const target = await resolveTarget(options).catch(() => undefined);
  return findCachedIndex({ specFile, cwd, env, baseUrl: target?.baseUrl });
}
