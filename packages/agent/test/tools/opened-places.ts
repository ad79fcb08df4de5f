// Counts what this process really opens: every open and opendir of a module under test passes here, and
// where its descriptor points is compared with the allowed folder.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

export interface OpenedPlaces {
  /** Places outside of the folder that were opened. */
  readonly foreign: string[];
  readonly count: () => number;
  release(): void;
}

export function watchOpens(folder: string): OpenedPlaces {
  const { open, opendir } = fs.promises;
  const foreign: string[] = [];
  let count = 0;
  function note(place: string): void {
    count++;
    if (place !== folder && !place.startsWith(`${folder}/`)) foreign.push(place);
  }
  fs.promises.open = (async (...parameters: Parameters<typeof open>) => {
    const handle = await open(...parameters);
    note(fs.readlinkSync(`/proc/self/fd/${handle.fd}`));
    return handle;
  }) as typeof open;
  fs.promises.opendir = (async (...parameters: Parameters<typeof opendir>) => {
    const place = placeOf(String(parameters[0]));
    const result = await opendir(...parameters);
    note(place);
    return result;
  }) as typeof opendir;
  syncBuiltinESMExports();
  return {
    foreign,
    count: () => count,
    release() {
      Object.assign(fs.promises, { open, opendir });
      syncBuiltinESMExports();
    },
  };
}

/** A descriptor's own place: to resolve its name would tell where that name leads now, which may be elsewhere. */
const placeOf = (path: string): string => (path.startsWith("/proc/self/fd/") ? fs.readlinkSync(path) : fs.realpathSync(path));
