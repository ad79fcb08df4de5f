// The request that a call would make, to be looked at. Nothing is sent, not even for the API document: where an
// operation needs it, it is a file or the copy that an earlier command has kept.

import { isUtf8 } from "node:buffer";
import { HawserError, type CallItem } from "@hawser/protocol";
import type { GatewayOptions } from "./call.ts";
import { resolveTarget } from "./config/resolve-target.ts";
import { toDocumentUrl, type Target } from "./config/target.ts";
import { toCredential, toWireRequest } from "./execute/credential.ts";
import { createRedactor } from "./execute/redaction.ts";
import type { GatewaySource } from "./document/fetch-document.ts";
import { loadIndex } from "./document/load-index.ts";
import type { OperationIndex } from "./openapi/operation.ts";
import { buildRequest } from "./request/build-request.ts";
import { operationIdOf } from "./request/call-item.ts";
import type { Pair } from "./request/safe-text.ts";

export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  /** Without those that the connection adds. The token is taken out. */
  readonly headers: readonly Pair[];
  readonly body?: string | undefined;
  /** Set where the bytes are not text. */
  readonly bodyEncoding?: "base64" | undefined;
}

const hidden = "[redacted]";

/** `loadDocument` is for an API in this process, which may be asked. Throws `usage` for what a call would refuse; `yes` is not needed. */
export async function previewRequest(
  item: CallItem,
  options: GatewayOptions,
  loadDocument: (target: Target) => Promise<OperationIndex> = (target) => loadKept(target, options),
): Promise<RequestPreview> {
  const target = await resolveTarget(options);
  const operationId = operationIdOf(item);
  const isDocumentNeeded = operationId !== undefined || (target.token !== undefined && target.auth.kind === "scheme");
  const index = isDocumentNeeded ? await loadDocument(target) : undefined;
  const operation = index && operationId !== undefined ? await index.describe(index.find(operationId)) : undefined;
  const request = buildRequest({ ...item, yes: true }, operation, target);
  const credential = toCredential(target, index?.securitySchemes ?? []);
  const { origin } = target.baseUrl;
  const { path, headers } = toWireRequest(request, request.url, origin, credential && { ...credential, token: hidden });
  const redactor = createRedactor(target.token);
  const { body } = request;
  const isText = !Buffer.isBuffer(body) || isUtf8(body);
  return {
    method: request.method,
    url: redactor.text(origin + path),
    headers: headers.flatMap((name, at): Pair[] => (at % 2 === 0 ? [[name, redactor.text(headers[at + 1] ?? "")]] : [])),
    ...(body !== undefined && { body: redactor.text(body.toString(isText ? "utf8" : "base64")) }),
    ...(!isText && { bodyEncoding: "base64" }),
  };
}

/** The copy serves whatever its age, as it does when the gateway can't be asked. */
async function loadKept({ baseUrl, specFile }: Target, { cwd, env }: GatewayOptions): Promise<OperationIndex> {
  const notAsked = new HawserError("cancelled", "nothing is sent");
  const gateway: GatewaySource = { baseUrl, documentUrl: toDocumentUrl(specFile), fetchText: () => Promise.reject(notAsked) };
  try {
    return await loadIndex({ specFile, cwd, env, gateway });
  } catch (error) {
    if (error !== notAsked) throw error;
    const text = "the API document is not on this machine, and nothing is sent for it here. Fetch it first: hawser api sync";
    throw new HawserError("usage", `${text}; or name a file with --spec-file`);
  }
}
