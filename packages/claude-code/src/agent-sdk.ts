// The part of the Claude Agent SDK that is used, described by its shape. The package is an optional peer: it
// is loaded when a request needs it, and our own types don't need its types. A test holds these shapes against
// the real package.

import { createRequire } from "node:module";
import type { Readable, Writable } from "node:stream";
import type { McpStdioServerConfig } from "@hawser/bridge";
import { AgentSDKNotInstalledError } from "./errors.ts";

/** A message of the command line. `type` and `subtype` tell what else is in it. */
export interface SdkMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly [member: string]: unknown;
}

/** A server in this process, as the Agent SDK takes it. */
export interface McpSdkServerConfig {
  readonly type: "sdk";
  readonly name: string;
  readonly instance: { connect(transport: never): Promise<void> };
}

export type McpServerConfig = McpStdioServerConfig | McpSdkServerConfig;

export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit" | "error", listener: (...args: never[]) => void): void;
  once(event: "exit" | "error", listener: (...args: never[]) => void): void;
  off(event: "exit" | "error", listener: (...args: never[]) => void): void;
}

/** A user's message made of blocks, as the Messages API has them. */
export interface AgentUserMessage {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: readonly object[] };
  readonly parent_tool_use_id: null;
}

export interface AgentQuery extends AsyncIterable<SdkMessage> {
  close(): void;
  mcpServerStatus(): Promise<readonly { readonly name: string; readonly status: string; readonly error?: string }[]>;
}

export interface AgentSdk {
  query(request: { prompt: string | AsyncIterable<AgentUserMessage>; options: Readonly<Record<string, unknown>> }): AgentQuery;
}

/** Its file; throws AgentSDKNotInstalledError where it is missing. */
export function findAgentSdk(): string {
  try {
    return createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk");
  } catch (cause) {
    throw new AgentSDKNotInstalledError({ cause });
  }
}

let loading: Promise<AgentSdk> | undefined;

/** Throws AgentSDKNotInstalledError where it is missing. A later call tries again. */
export function loadAgentSdk(): Promise<AgentSdk> {
  loading ??= import("@anthropic-ai/claude-agent-sdk").then(
    (sdk) => sdk as unknown as AgentSdk,
    (cause: unknown) => {
      loading = undefined;
      throw isMissing(cause) ? new AgentSDKNotInstalledError({ cause }) : cause;
    },
  );
  return loading;
}

const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "ERR_MODULE_NOT_FOUND";
