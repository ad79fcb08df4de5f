// Everything that can change the state. Times come with the event: the reducer has no clock.

import type { AnyAgentRequest, AnyAgentResponse } from "@hawser/wire";
import type { LinkState, Notice } from "./page-state.ts";

/** A line in either direction. `message` is missing when it is none that this page knows; the wire view shows it all the same. */
export interface LineEvent {
  readonly type: "line";
  readonly at: number;
  readonly chars: number;
  readonly value: unknown;
  readonly line:
    | { readonly direction: "sent" | "other_tab"; readonly message: AnyAgentRequest | undefined }
    | { readonly direction: "received"; readonly message: AnyAgentResponse | undefined };
}

export type PageEvent =
  | LineEvent
  | { readonly type: "link"; readonly link: LinkState }
  | { readonly type: "opened"; readonly conversationId: string; readonly isNew: boolean }
  /** A request was given up here; the runtime may not know. */
  | { readonly type: "turn_given_up"; readonly id: string; readonly text: string }
  | { readonly type: "permission_expired"; readonly permissionId: string }
  | { readonly type: "model_picked"; readonly model: string | undefined }
  | { readonly type: "notice"; readonly notice: Notice }
  | { readonly type: "notice_dismissed"; readonly key: string }
  | { readonly type: "wire_cleared" };
