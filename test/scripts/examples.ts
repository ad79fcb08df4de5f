// Finds the examples in a document that are meant to be run:
//   `console run`           lines after `$ ` are a command, the lines below it are its output
//   `ts run`, `python run`, `go run`, `rust run`
//                           a program; a block `text` right after it is its output
//   `ts run until Ctrl-C`   one that serves the client whose configuration it prints

export interface Example {
  readonly line: number;
  readonly command: string;
  /** What the command reads from stdin. */
  readonly input?: string;
  readonly output: string;
  /** It goes on until it is interrupted. */
  readonly isLasting?: boolean;
}

export function findExamples(document: string): Example[] {
  return [...findCommands(document), ...findPrograms(document)];
}

function findCommands(document: string): Example[] {
  const examples: Example[] = [];
  for (const block of document.matchAll(/^```console run\n(.*?)^```$/gms)) {
    const lines = (block[1] ?? "").split("\n").slice(0, -1);
    const starts = lines.flatMap((text, index) => (text.startsWith("$ ") ? [index] : []));
    for (const [index, start] of starts.entries()) {
      const output = lines.slice(start + 1, starts[index + 1]).join("\n");
      examples.push({ line: lineOf(document, block.index) + 1 + start, command: (lines[start] ?? "").slice(2), output });
    }
  }
  return examples;
}

const interpreters: Readonly<Record<string, string>> = {
  ts: "node --input-type=module-typescript -",
  python: "python3 -",
  go: 'folder=$(mktemp -d) && cat > "$folder/host.go" && go run "$folder/host.go"; rm -r "$folder"',
  rust: 'folder=$(mktemp -d) && rustc -o "$folder/host" - && "$folder/host"; rm -r "$folder"',
};

function findPrograms(document: string): Example[] {
  return [...document.matchAll(/^```(ts|python|go|rust) run( until Ctrl-C)?\n(.*?)^```\n\n```text\n(.*?)\n```$/gms)].map((block) => {
    const [, language = "", lasting, input = "", output = ""] = block;
    const isLasting = lasting !== undefined && { isLasting: true };
    return { line: lineOf(document, block.index), command: interpreters[language] ?? "", input, output, ...isLasting };
  });
}

/** Every block of a language, run or not. */
export function findSnippets(document: string, language: string): { readonly line: number; readonly text: string }[] {
  const blocks = document.matchAll(new RegExp(`^\`\`\`${language}(?: run[^\\n]*)?\\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map((block) => ({ line: lineOf(document, block.index), text: block[1] ?? "" }));
}

const lineOf = (document: string, index: number): number => document.slice(0, index).split("\n").length;

/** A pattern for the output: `…` alone on a line stands for any lines, inside a line for any text. */
export function toPattern(output: string): RegExp {
  const lines = output.split("\n").map((line) => (line.trim() === "…" ? "(?:.*\\n)*?" : `${toLinePattern(line)}\\n`));
  return new RegExp(`^${lines.join("")}$`);
}

const toLinePattern = (line: string): string => line.split("…").map(escape).join(".*");
const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
