// What one call is, whichever door it came through: the item that asks for it, the outcome that ends
// it, and the core between them. The doors (`call`, `batch`, `rpc`) only read items and print outcomes.

import type { CallItem, CallStats } from "@hawser/protocol";
import type { CancelSignal } from "@hawser/wire/internal";

/** Exit code of a command and `code` of an answer: success, usage or configuration, authentication, everything else. */
export type CallCode = 0 | 2 | 6 | 7;

export interface CallErrorInfo {
  readonly kind:
    | "usage"
    | "config"
    | "auth"
    | "http"
    | "network"
    | "timeout"
    | "cancelled"
    | "redirect"
    | "overloaded"
    | "too_large"
    | "unknown_outcome"
    | "internal";
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** What to do about it, for people. */
  readonly hint?: string | undefined;
}

/** A failure in the words of the command line, which has flags where other doors have members of an item. */
export interface FlagWords {
  /** The same as for other doors unless given. */
  readonly message?: string | undefined;
  /** Replaces that of other doors, also by none. */
  readonly hint?: string | undefined;
}

export interface CallResponse {
  readonly status: number;
  /** Only where asked for. */
  readonly headers?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Text, or base64 of bytes that are not text (then `bodyEncoding` says so). The token is redacted from it. */
  readonly body: string;
  readonly bodyEncoding?: "base64" | undefined;
  /** Decoded bytes that were kept. */
  readonly bytes: number;
  readonly truncated?: true | undefined;
}

/** How a call ended. Optional members are absent, not undefined, in what the doors print. */
export interface CallOutcome {
  readonly ok: boolean;
  readonly code: CallCode;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly errorInfo?: CallErrorInfo | undefined;
  /** For the command line: instead of `error` and of the hint. No other door prints it. */
  readonly asFlags?: FlagWords | undefined;
  readonly cancelled?: true | undefined;
  readonly request?: { readonly method: string; readonly url: string } | undefined;
  readonly response?: CallResponse | undefined;
  readonly timingMs: number;
  readonly stats: CallStats;
}

/** A piece of a body, and the response that it belongs to. */
export type OnBody = (chunk: Buffer, response: Pick<CallResponse, "status" | "headers">) => Promise<void>;

export interface CallOptions {
  /** Any AbortSignal will do. */
  readonly signal?: CancelSignal | undefined;
  /**
   * Takes the decoded body of a successful response as it comes, instead of `response.body`; its promise is backpressure,
   * and the time that it takes is not the call's.
   */
  readonly onBody?: OnBody | undefined;
  /**
   * For a caller that keeps the outcome for a while: is given what to call when that is over. Until then the body counts as
   * kept, and other calls leave it its room; else until the call has ended.
   */
  whenWritten?(tell: () => void): void;
}

export interface CallCore {
  /** Never rejects: every failure is an outcome. */
  call(item: CallItem, options?: CallOptions): Promise<CallOutcome>;
  /** Reads configuration and document anew for later calls; rejects and keeps the old ones if they are broken. */
  reload(): Promise<void>;
  /** Ends the connections; running calls are cancelled. */
  close(): Promise<void>;
}

/** Where calls go and how; the rest comes from the environment and the configuration file. */
export interface GatewayOptions {
  readonly gatewayUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly profile?: string | undefined;
  /** The API document: a file, or an http or https address. */
  readonly specFile?: string | undefined;
  /** For one call; 8 seconds unless given. */
  readonly timeoutMs?: number | undefined;
  readonly includeHeaders?: boolean | undefined;
  /** Decoded bytes of a body that are kept. */
  readonly maxBodyBytes?: number | undefined;
  /** Connections that may be open at the same time: at least the number of calls that shall run side by side. */
  readonly maxConnections?: number | undefined;
  /** Runs the reading of the API document, which may be large, for hosts that prepare for it. */
  readonly aroundDocument?: (<Value>(read: () => Promise<Value>) => Promise<Value>) | undefined;
  /** Instead of `process.env` and `process.cwd()`, for hosts that have several. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
}
