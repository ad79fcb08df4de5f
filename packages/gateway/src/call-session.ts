// What calls share between two reloads: the target, the redactor of its token, and the API document
// once a call needs it. A call that began with one session ends with it, whatever is loaded meanwhile.

import type { GatewayOptions } from "./call.ts";
import { resolveTarget } from "./config/resolve-target.ts";
import type { Target } from "./config/target.ts";
import { toCredential, type Credential } from "./execute/credential.ts";
import { createRedactor, type Redactor } from "./execute/redaction.ts";
import type { OperationIndex } from "./openapi/operation.ts";

export interface CallSession {
  readonly target: Target;
  /** Of the target's address. */
  readonly origin: string;
  readonly redactor: Redactor;
  readonly hasIndex: boolean;
  /** The document, read when it is first asked for. A failure is not kept: the next call tries again. */
  index(): Promise<OperationIndex>;
  /** How the token travels; undefined where one of the document's schemes says it. */
  readonly fixed: { readonly credential: Credential | undefined } | undefined;
  documentCredential(): Promise<Credential | undefined>;
}

/** Reads the document of a target. */
type LoadIndex = (session: Pick<CallSession, "target" | "redactor">) => Promise<OperationIndex>;

export async function openCallSession(options: GatewayOptions, loadIndex: LoadIndex): Promise<CallSession> {
  const target = await resolveTarget(options);
  const redactor = createRedactor(target.token);
  let loading: Promise<OperationIndex> | undefined;
  function index(): Promise<OperationIndex> {
    loading ??= loadIndex({ target, redactor }).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }
  const fixed = target.auth.kind === "header" ? { credential: toCredential(target, []) } : undefined;
  return {
    target,
    origin: target.baseUrl.origin,
    redactor,
    get hasIndex() {
      return loading !== undefined;
    },
    index,
    fixed,
    documentCredential: async () => toCredential(target, (await index()).securitySchemes),
  };
}
