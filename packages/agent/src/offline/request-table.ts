// Everything that the offline model understands, in one table. The parser, the answer to `help` and the
// page docs/agent/offline.md are made from it. Rows are tried from top to bottom, and so are the phrases
// of a row; phrase.ts says how they are written.

import { isArithmetic } from "./arithmetic.ts";
import type { Captures } from "./phrase.ts";

export interface RequestRow {
  readonly phrases: readonly string[];
  /** What it does, for people. */
  readonly does: string;
  /** How to say it; the first one is what `help` shows. */
  readonly examples: readonly string[];
  /** Looks at what was captured, where a phrase alone says too little. */
  accepts?(captures: Captures): boolean;
}

const list = "list|show|display|print|give|get|tell";
const read = "read|show|open|print|display|view|cat|type";

export const requestTable = {
  help: {
    phrases: ["help|/help|commands", "help me", "what can you do", "what do you understand", "what can i say|ask|do", "how does this work"],
    does: "says what it understands",
    examples: ["help", "what can you do?"],
  },
  introduce: {
    phrases: ["who|what are you", "are you [a|an] ai|bot|llm|human|robot", "are you a [real|language] model", "introduce yourself"],
    does: "says what it is",
    examples: ["who are you?"],
  },
  greet: {
    phrases: ["hello|hi|hey|hallo|greetings [there|again]", "good morning|afternoon|evening|day"],
    does: "greets",
    examples: ["hello"],
  },
  thank: {
    phrases: ["thanks|thx|cheers", "thank you", "thanks a lot", "thank you very much"],
    does: "takes thanks",
    examples: ["thank you"],
  },
  time: {
    phrases: [
      "what time|day|date is it [today]",
      "what|what's [is] the [current] time|date [today]",
      "what|what's [is] today's date",
      "tell [me] the [current] time|date",
      "time|date",
    ],
    does: "says the time and the date",
    examples: ["what time is it?", "what's the date?"],
  },
  nameTold: {
    phrases: ["my name is <name...>", "my name's <name...>", "call me <name...>"],
    does: "remembers a name for this conversation",
    examples: ["my name is Ada"],
  },
  nameAsked: {
    phrases: ["what|what's [is] my name", "who am i", "do you know|remember my name"],
    does: "says the name again",
    examples: ["what is my name?"],
  },
  said: {
    phrases: [
      "what did i say|ask|write [you] [before|earlier|last|first|so] [far|time]",
      "what have i said|asked [you] [before|so] [far]",
      "what was my last|previous message|question|request",
      "what were my last|previous messages|questions|requests",
    ],
    does: "repeats your earlier messages",
    examples: ["what did I say before?"],
  },
  repeated: {
    phrases: ["repeat that|it|this|yourself", "repeat your|the last answer", "say that|it again", "what did you say", "pardon"],
    does: "repeats its last answer",
    examples: ["repeat that"],
  },
  again: {
    phrases: ["again", "do that|it|this again", "once more", "one more time", "try again", "retry"],
    does: "does your last request again",
    examples: ["again"],
  },
  tools: {
    phrases: [
      `${list} [me] [all] [the|your] [available] tools|operations`,
      "what|which tools|operations are there|available|offered",
      "what|which tools|operations do you have|know",
      "tools",
    ],
    does: "names the tools that it may use",
    examples: ["list the tools", "which tools do you have?"],
  },
  plan: {
    phrases: ["plan <steps...>", "make a plan [to|for] <steps...>"],
    does: "shows a plan; its steps stand in quotes, with commas between them",
    examples: ['plan "read the tests, fix the parser"'],
  },
  attachment: {
    phrases: [
      "what|what's [is] in this|these|the|my [attached] file|files|attachment|attachments|image|picture",
      "what|what's [is] this",
      `${read}|describe|summarize|summarise this|these|the|my [attached] attachment|attachments|image|picture`,
      `${read}|describe|summarize|summarise this|these [attached] file|files`,
    ],
    does: "repeats what is attached to the message",
    examples: ["what is in this file?"],
  },
  list: {
    phrases: [
      `${list} [me] [all] [of] [the|my] files|contents|content|folder|directory [here]`,
      `${list} [me] [all] [of] [the|my] [files|contents|content] [in|of] this|the|current [current|working] folder|directory`,
      `${list} [me] [all] [of] [the|my] files|contents|content in|of|under|inside|from [the] [folder|directory] <path> [folder|directory]`,
      `${list} [me] [all] [of] what is|what's here`,
      `${list} [me] what is|what's in [the] [folder|directory] <path>`,
      "what|which files|file are|is here|there",
      "what|which files do i|you|we have|see [here]",
      "what|which files are in|under|inside [the] [folder|directory] <path> [folder|directory]",
      "what|what's [is] here",
      "what|what's [is] in this|the|current [current|working] folder|directory",
      "what|what's [is] in [the] folder|directory <path>",
      "what|what's [is] in [the] <path> folder|directory",
      "ls|dir",
      "ls|dir <path>",
      "list [the] [folder|directory] <path>",
    ],
    does: "lists files",
    examples: ["list the files here", "list the files in src", "show me the files", "ls docs"],
  },
  read: {
    phrases: [
      `${read} [me] [the] contents|content|text of [the] [file] <path>`,
      `${read} [me] [the|my] [file] <path> [file]`,
      "what|what's [is] in [the] [file] <path>",
      "what does [the] [file] <path> say|contain",
    ],
    does: "reads a file; a name without an ending is looked up",
    examples: ["read the file notes.txt", "read the README", "cat package.json", "what is in the file notes.txt?"],
  },
  search: {
    phrases: [
      "search|look|grep [in|through] [all] [the|my] files for <text...>",
      "search|look|grep for <text...> in|under|inside [the] [folder|directory] <path> [folder|directory]",
      "search|look|grep for <text...>",
      "search|look [in|through] <path> for <text...>",
      "find|search [all] [the] files with|containing|that [contain|have] <text...>",
      "which files contain|mention <text...>",
      "where is <text...> used|mentioned|defined",
      "find|search|grep <text...> in|under|inside [the] [folder|directory] <path> [folder|directory]",
      "find|search|grep <text...>",
    ],
    does: "searches the files for a text",
    examples: ["search for harbour", 'search for "salt and pepper"', "find TODO in src"],
  },
  write: {
    phrases: [
      "write|save|put|store [the] [text] <text...> to|into|in [a|the] [new] [file] [called|named] <path>",
      "create|make|write [a|the] [new] file [called|named] <path> with|containing|saying [the] [text|content|contents] <text...>",
      "write|save to [the] [file] <path> [the] [text] <text...>",
      "create|make|touch [a|an|the] [new|empty] [file] [called|named] <path>",
    ],
    does: "writes a file",
    examples: ['write "hello" to notes.txt', 'create a file notes.txt with "hello"'],
  },
  replace: {
    phrases: [
      "replace|change|substitute <old...> with|by|to|into <new...> in|inside [the] [file] <path>",
      "in [the] [file] <path> replace|change|substitute <old...> with|by|to|into <new...>",
    ],
    does: "replaces a text in a file",
    examples: ['replace "hello" with "good morning" in notes.txt'],
  },
  run: {
    phrases: ["run|execute|exec [the] command <command...>", "run|execute|exec <command...>", "$ <command...>"],
    does: "runs a command that is allowed",
    examples: ["run git status", 'run echo "hello world"'],
  },
  call: {
    phrases: [
      "call|invoke [the] [operation] <operation> [operation] with [arguments|parameters] <arguments...>",
      "call|invoke [the] [operation] <operation> [operation]",
    ],
    does: "calls an operation of an API that the agent may use",
    examples: ["call listPets", "call getPet with petId=7"],
  },
  use: {
    phrases: [
      "use [the] [tool] <tool> [tool] with [arguments|input] <arguments...>",
      "use [the] tool <tool>",
      "use [the] <tool> tool",
      "use <tool>",
    ],
    does: "uses any tool by its name",
    examples: ['use read_file with {"path": "notes.txt"}'],
  },
  calculate: {
    phrases: ["what|how [much] is <expression...>", "what's|whats|calculate|compute|evaluate|solve <expression...>", "<expression...>"],
    does: "calculates: + - * / % ^, parentheses, decimals",
    examples: ["what is 12 * 34?", "(1 + 2) ^ 3 / 4", "7 times 6"],
    accepts: ({ expression = "" }) => isArithmetic(expression),
  },
} satisfies Record<string, RequestRow>;

export type RequestKind = keyof typeof requestTable;

/** The table as the page and `help` print it. */
export function formatRequests(): string {
  return Object.values(requestTable)
    .map(({ does, examples }) => `- ${does}: ${examples.map((example) => `\`${example}\``).join(", ")}`)
    .join("\n");
}
