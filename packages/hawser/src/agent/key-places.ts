// Where keys of the user lie: those that the runtime keeps, and those of the desktop app. Any root may hold them, and there no tool reads
// them, no sandboxed command sees them, and undo does not look at them.

import { dirname, join, sep } from "node:path";
import { keysPath, realPathOf, toLiteralGlob } from "@hawser/agent/internal";
import { userFolder } from "@hawser/wire/internal/node";

type Environment = Readonly<Record<string, string | undefined>>;

export function keyPlacesOf(env: Environment) {
  const own = keysPath(env);
  const desktop = join(userFolder("config", env), "dev.hawser.desktop", "keys.json");
  const patterns = [
    ...namedAndReal(dirname(own), "/**"),
    // Its other files stay what they were: the agent may even work beside them.
    ...namedAndReal(dirname(desktop), "/keys.json"),
    ...namedAndReal(dirname(desktop), "/.keys.json.*"),
    // Each may be a link.
    ...[own, desktop].map((file) => toPattern(realPathOf(file))),
  ];
  return {
    folder: dirname(own),
    files: [own, desktop],
    /** For rules: also what the files are written to before they become them. */
    patterns: [...new Set(patterns)],
  };
}

const toPattern = (path: string): string => toLiteralGlob(path.replaceAll(sep, "/"));

/** By the folder's name, and by where links lead. */
const namedAndReal = (folder: string, inside: string): string[] => [folder, realPathOf(folder)].map((path) => toPattern(path) + inside);
