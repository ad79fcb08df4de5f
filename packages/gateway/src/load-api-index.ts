// The API document for what is no call: listings, tools and completion. It is looked for as calls do, and
// fetched with the same token, limits and redaction.

import { describeThrown, HawserError } from "@hawser/wire";
import type { GatewayOptions } from "./call.ts";
import { findTarget, noAddress } from "./config/resolve-target.ts";
import { toDocumentUrl } from "./config/target-values.ts";
import { openDocumentPlace } from "./gateway-source.ts";
import { findCachedIndex } from "./openapi/cached-index.ts";
import { loadIndex } from "./openapi/load-index.ts";
import type { OperationIndex } from "./openapi/operation.ts";

/** A file needs no gateway: whether one is configured, and how well, matters only where there is no file. */
export async function loadApiIndex(options: GatewayOptions): Promise<OperationIndex> {
  const { cwd, env } = options;
  const place = await openDocumentPlace(options).catch((error: unknown) => {
    if (toDocumentUrl(options.specFile)) throw error;
    return { specFile: options.specFile, source: undefined, problem: describeThrown(error) };
  });
  const { specFile, source } = place;
  try {
    return await loadIndex({ specFile, cwd, env, gateway: source });
  } catch (error) {
    if (source || specFile !== undefined || !HawserError.isInstance(error)) throw error;
    const problem = "problem" in place ? place.problem : noAddress;
    throw new HawserError("usage", `${error.message}; and it can't be fetched: ${problem}`, { cause: error });
  } finally {
    await source?.close();
  }
}

/** What an earlier load left of it, however old that is: no document is read and nobody is asked. Nothing if there is none. */
export async function loadCachedIndex(options: GatewayOptions = {}): Promise<OperationIndex | undefined> {
  const { cwd, env } = options;
  const { target, specFile } = await findTarget(options).catch(() => ({ target: undefined, specFile: options.specFile }));
  return findCachedIndex({ specFile, cwd, env, baseUrl: target?.baseUrl });
}
