// Reads what a client asks its model, out of the four forms that there are, into one.

/** A tool that the model may call. */
export interface OfferedTool {
  readonly name: string;
  /** Codex gives the tools of one server as a group with a name. */
  readonly namespace?: string | undefined;
}

export type Item = { readonly type: "said"; readonly text: string } | { readonly type: "result"; readonly output: unknown };

export interface Question {
  /** What users said and tools answered, in order. */
  readonly items: readonly Item[];
  readonly tools: readonly OfferedTool[];
}

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly content?: unknown;
  readonly functionResponse?: { readonly response: unknown };
}

const partsOf = (content: unknown): readonly Part[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as readonly Part[]);

const saidIn = (parts: readonly Part[]): Item[] => parts.flatMap(({ text }) => (text === undefined ? [] : [{ type: "said", text }]));

interface ResponsesBody {
  readonly input: readonly { readonly type: string; readonly role?: string; readonly content?: unknown; readonly output?: unknown }[];
  readonly tools?: readonly { readonly name?: string; readonly tools?: readonly { readonly name: string }[] }[];
}

export function readResponses({ input, tools = [] }: ResponsesBody): Question {
  const items = input.flatMap(({ type, role, content, output }): Item[] => {
    if (type.endsWith("_call_output")) return [{ type: "result", output }];
    return type === "message" && role === "user" ? saidIn(partsOf(content)) : [];
  });
  return {
    items,
    tools: tools.flatMap((entry) =>
      entry.tools
        ? entry.tools.map(({ name }) => ({ name, namespace: entry.name }))
        : entry.name === undefined
          ? []
          : [{ name: entry.name }],
    ),
  };
}

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: OfferedTool }[];
}

export function readChat({ messages, tools = [] }: ChatBody): Question {
  const items = messages.flatMap(({ role, content }): Item[] => {
    if (role === "tool") return [{ type: "result", output: content }];
    return role === "user" ? saidIn(partsOf(content)) : [];
  });
  return { items, tools: tools.map(({ function: { name } }) => ({ name })) };
}

interface MessagesBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly OfferedTool[];
}

export function readMessages({ messages, tools = [] }: MessagesBody): Question {
  const items = messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => partsOf(content))
    .flatMap((part): Item[] => (part.type === "tool_result" ? [{ type: "result", output: part.content }] : saidIn([part])));
  return { items, tools: tools.map(({ name }) => ({ name })) };
}

interface GenerateBody {
  readonly contents: readonly { readonly role?: string; readonly parts?: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly OfferedTool[] }[];
}

export function readGenerate({ contents, tools = [] }: GenerateBody): Question {
  const items = contents
    .filter(({ role }) => role !== "model")
    .flatMap(({ parts = [] }) => parts)
    .flatMap((part): Item[] => (part.functionResponse ? [{ type: "result", output: part.functionResponse.response }] : saidIn([part])));
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  return { items, tools: declared.map(({ name }) => ({ name })) };
}
