// The two powers of Tauri that are used; given, so that a browser never loads them.

import { HawserError } from "@hawser/wire";

export interface TauriPowers {
  listen(event: string, handler: (event: { readonly payload: unknown }) => void): Promise<() => void>;
  /** Bytes go as they are, not as JSON; what else is to be said of them goes in headers. */
  invoke(command: string, args: Record<string, unknown> | Uint8Array, options?: InvokeOptions): Promise<unknown>;
}

interface InvokeOptions {
  readonly headers: Record<string, string>;
}

/** What is refused comes as a text, which is no error to anybody. */
export async function callDesktop(invoke: TauriPowers["invoke"], ...call: Parameters<TauriPowers["invoke"]>): Promise<unknown> {
  try {
    return await invoke(...call);
  } catch (cause) {
    throw typeof cause === "string" ? new HawserError("usage", cause) : cause;
  }
}
