// What an agent says in these tests: a plan, uses of tools, a change, and questions with answers of its own. Some of it is hostile.

import type { PermissionOption } from "@hawser/protocol";

const rightToLeft = "\u202e";
export const hostile = `<img src=x onerror=alert(1)>${rightToLeft}`;
/** As the page shows it. */
export const shownHostile = "<img src=x onerror=alert(1)>⟨U+202E⟩";

/** In the order of a well-known agent: what lasts comes first. */
export const answers: readonly PermissionOption[] = [
  { optionId: "always", name: "Yes, and don't ask again", kind: "allow_always" },
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No, and tell the agent what to do instead", kind: "reject_once" },
];

export const oldText = `${Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
export const newText = oldText.replace("line 20\n", "line twenty\n");
export const push = {
  toolId: "call-1",
  toolName: "shell",
  input: { command: ["git", "push", "origin main"], cwd: "/home/ada/harbour-log" },
  title: "git push",
  kind: "execute",
  locations: [{ path: "src/berths.ts", line: 12 }],
};
export const question = { ...push, permissionId: "p1", reason: "acp/codex asks before it runs something", options: [...answers] };
export const edit = {
  toolId: "call-2",
  toolName: "edit",
  input: { path: "src/berths.ts" },
  title: "Edit src/berths.ts",
  kind: "edit",
  locations: [{ path: "src/berths.ts", line: 12 }],
};
const berths = `// Berths of the harbour, and which of them is deep enough.

export const one = { depth: 2 };
export const two = { depth: 3 };
export const three = { depth: 4 };
export const four = { depth: 5 };
export const five = { depth: 6 };
export const six = { depth: 7 };

export const all = [one, two, three, four, five, six];

export function berthFor(draught: number, tide: number) {
  return all.find(({ depth }) => depth + tide > draught);
}
`;
export const berthChange = {
  path: "src/berths.ts",
  oldText: berths,
  newText: berths
    .replace("depth + tide > draught", "depth + tide > draught + keelRoom")
    .replace("export const all", "const keelRoom = 0.5;\nexport const all"),
};
export const berthSteps = [
  { content: "Find where a berth is chosen", status: "completed" },
  { content: "Add the room below the keel", status: "in_progress" },
  { content: "Run the tests", status: "pending" },
] as const;
export const plan = (...done: number[]) => ({
  type: "plan" as const,
  data: {
    entries: ["Read the tests", "Fix the parser", hostile].map((content, at) => ({
      content,
      status: done.includes(at) ? ("completed" as const) : done.length === at ? ("in_progress" as const) : ("pending" as const),
    })),
  },
});
