// Where the programs are that tests start.

import { fileURLToPath } from "node:url";

/** The path of a program in test/fixtures. */
export const fixturePath = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
