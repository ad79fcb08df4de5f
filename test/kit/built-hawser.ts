// `hawser` as tests start it: the bundle that a whole run of the tests has built, which starts in a quarter of the processor
// time that the sources take. Where that is older than the sources, the launcher, which runs them.

import { join } from "node:path";
import { areBundlesStale } from "../../scripts/tasks/bundle.ts";

const folder = join(import.meta.dirname, "..", "..", "packages", "hawser");

// A run of the tests has found it out already; other programs have not.
const isFromSources = (process.env["TESTED_HAWSER"] ?? (areBundlesStale() ? "sources" : "bundle")) === "sources";

/** A first file for Node. */
export const builtHawser: string = join(folder, isFromSources ? "bin/hawser.cjs" : "dist/cli/start.cjs");

/** The same under the name that hosts know. */
export const builtIgw: string = join(folder, "bin/igw.cjs");
