// The first import of each entry: on a Node that is too old it throws, with a sentence that names both versions. Without it a program
// would end later, inside some callback, over a function that its Node lacks. A page has no Node and passes.

import { HawserError } from "./errors.ts";

/** As `engines` of every package says it. */
const neededNode = { major: 22, minor: 13 };

const { process } = globalThis as { process?: { readonly versions?: { readonly node?: string } } };
const found = process?.versions?.node;
if (found !== undefined && isTooOld(found)) {
  const needed = `${neededNode.major}.${neededNode.minor}`;
  throw new HawserError("usage", `Hawser needs Node ${needed} or newer and this is ${found}; install a newer one from https://nodejs.org`, {
    facts: { needed, found },
  });
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < neededNode.major || (major === neededNode.major && minor < neededNode.minor);
}
