// The names of everything that is said on the bus. A service's calls go to a subject that holds a digest of its tools: only machines
// with exactly these tools listen there, so that a call never reaches one with others while a new version is rolled out.

import { HawserError } from "@hawser/protocol";

/** Of machines that offer the same tools, one gets each call. */
export const callQueue = "hawser";

const root = "hawser.tools";

export interface ServiceSubjects {
  /** Machines say here that they come, are there, or go. */
  readonly announce: string;
  /** Asks all machines of the service to announce themselves now. */
  readonly who: string;
  /** Ends a call, which is named by where its answer goes. */
  readonly cancel: string;
  call(digest: string): string;
  list(digest: string): string;
}

/** Throws `usage` for a name that can't be part of a subject. */
export function toServiceSubjects(service: string): ServiceSubjects {
  const base = `${root}.${checkName(service, "a service")}`;
  return {
    announce: `${base}.announce`,
    who: `${base}.who`,
    cancel: `${base}.cancel`,
    call: (digest) => `${base}.call.${digest}`,
    list: (digest) => `${base}.list.${digest}`,
  };
}

/** Tells machines to finish what they do and leave; the payload names a service, or one machine of it. */
export const drainSubject = "hawser.fleet.drain";

/** Agents of other SDKs are called `agents`, as their protocol has it and as runtimes are. To leave they are told by this name. */
export const promptKind = "prompts";

/** By which name a machine is told to leave together with others of its sort. */
export const toDrainName = ({ name, metadata }: { readonly name: string; readonly metadata: Readonly<Record<string, string>> }): string =>
  metadata["kind"] === promptKind ? promptKind : name;

/** Throws `usage` for a name that can't be part of a subject. */
export function checkName(name: string, what: string): string {
  if (/^[A-Za-z0-9_-]{1,32}$/.test(name)) return name;
  throw new HawserError("usage", `the name of ${what} has letters, digits, _ and -, at most 32; not ${JSON.stringify(name.slice(0, 100))}`);
}
