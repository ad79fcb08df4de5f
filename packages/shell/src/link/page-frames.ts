// What passes between the local server and a page: one text per WebSocket message, whose first character
// says what it is. The lines themselves are the agent protocol's; neither end looks into them here.

/** What the page can tell about the runtime before it has asked it anything. */
export interface RuntimeFacts {
  /** The folder in which it works. */
  readonly root?: string | undefined;
  /** Requests to try with what this launch brings along, besides those that always work. */
  readonly examples?: readonly string[] | undefined;
}

/** How the runtime behind the server is. */
export interface RuntimeState extends RuntimeFacts {
  readonly runtime: "starting" | "running" | "restarting" | "failed";
  /** Why it is not running, for people. */
  readonly message?: string;
}

export type PageFrame =
  /** A line that the runtime wrote; every tab gets every one. */
  | { readonly kind: "response"; readonly line: string }
  /** A line that another tab sent, so that two tabs on one conversation show the same. */
  | { readonly kind: "request"; readonly line: string }
  | { readonly kind: "state"; readonly state: RuntimeState };

const marks = { response: ">", request: "<", state: "!" } as const;

export function encodeFrame(frame: PageFrame): string {
  return marks[frame.kind] + (frame.kind === "state" ? JSON.stringify(frame.state) : frame.line);
}

/** Undefined for what is no frame. */
export function decodeFrame(text: string): PageFrame | undefined {
  const line = text.slice(1);
  if (text[0] === marks.response) return { kind: "response", line };
  if (text[0] === marks.request) return { kind: "request", line };
  if (text[0] !== marks.state) return undefined;
  try {
    return { kind: "state", state: JSON.parse(line) as RuntimeState };
  } catch {
    return undefined;
  }
}
