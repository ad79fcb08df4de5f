// What passes between the local server and a page. A line is one text per WebSocket message, whose first character says
// what it is; the lines themselves are the agent protocol's, and neither end looks into them here. A page shows its
// credential with each request: a browser never adds it on its own.

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
  readonly message?: string | undefined;
}

/** What it was asked is lost. */
export const isGone = ({ runtime }: RuntimeState): boolean => runtime === "restarting" || runtime === "failed";

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

/** Undefined for what isn't a frame. */
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

/** Before a line of a page that no other page is to see: it may hold a key. JSON never begins with it. */
const privateMark = "*";

export const encodeLine = (line: string, isPrivate: boolean): string => (isPrivate ? privateMark + line : line);

export function decodeLine(text: string): { readonly line: string; readonly isPrivate: boolean } {
  const isPrivate = text.startsWith(privateMark);
  return { line: isPrivate ? text.slice(privateMark.length) : text, isPrivate };
}

/** The first subprotocol of the link, and the only one that the server names in its answer. */
export const linkProtocol = "hawser";

const credentialPrefix = "hawser.key.";

/** For a WebSocket, which can't carry headers of a page's choice. */
export const toSubprotocols = (credential: string): readonly string[] => [linkProtocol, credentialPrefix + credential];

/** The credential; undefined unless there are exactly the two subprotocols of a page. */
export function readSubprotocols(header: string | undefined): string | undefined {
  const [protocol, secret, ...others] = (header ?? "").split(",").map((name) => name.trim());
  if (protocol !== linkProtocol || !secret?.startsWith(credentialPrefix) || others.length > 0) return undefined;
  return secret.slice(credentialPrefix.length);
}

/** Names one try of a page to exchange its key, so that it can be repeated when no answer came. */
export const attemptHeader = "x-hawser-attempt";

/** With which the server closes the link of a page whose access was withdrawn. */
export const withdrawnCode = 4001;
