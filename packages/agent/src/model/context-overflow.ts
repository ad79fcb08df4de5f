// Whether a vendor refused a request because the conversation does not fit into the model's context, and the size of that context
// where its words say so. By codes where there are some, else by the words that the vendors and servers use.

/** What `facts` of such an error hold. */
export interface OverflowFacts {
  readonly isOverflow: true;
  /** Tokens that the context holds. */
  readonly window?: number;
}

const codes = /\b(context_length_exceeded|model_context_window_exceeded|context_window_exceeded|exceed_context_size_error)\b/;

/** Each with the place of the window in it, where there is one. */
const wordings: readonly RegExp[] = [
  // Anthropic
  /prompt is too long(?:: \d+ tokens > (\d+) maximum)?/i,
  /input length and `?max_tokens`? exceed context limit: \d+ \+ \d+ > (\d+)/i,
  // Mistral
  /too large for model with (\d+) maximum context length/i,
  // OpenAI, DeepSeek, OpenRouter, vLLM, SGLang
  /maximum context length (?:is|of) (\d+) tokens/i,
  /maximum context length(?: \((\d+)\))?/i,
  /exceeds the context window of this model/i,
  // Google and xAI behind compatible addresses
  /input token count \(?\d*\)? ?exceeds the maximum number of tokens allowed \((\d+)\)/i,
  /maximum prompt length is (\d+)/i,
  // Together, Groq, Moonshot, MiniMax, GitHub
  /longer than the model's context length \((\d+) tokens\)/i,
  /reduce the length of the messages or completion/i,
  /exceeded model token limit: (\d+)/i,
  /context window exceeds limit/i,
  /prompt token count of \d+ exceeds the limit of (\d+)/i,
  // llama.cpp, Ollama, LM Studio
  /exceeds the available context size(?: \((\d+) tokens\))?/i,
  /prompt too long; exceeded (?:max )?context length/i,
  /input (?:length )?exceeds (?:the )?(?:maximum )?context length/i,
  /greater than the context length/i,
];

/** `text`: the vendor's words, and its code where it has one. */
export function overflowIn(text: string): OverflowFacts | undefined {
  const found = wordings.map((wording) => wording.exec(text)).find((match) => match !== null);
  if (!found && !codes.test(text)) return undefined;
  const window = Number(found?.[1]);
  return { isOverflow: true, ...(window > 0 && { window }) };
}

/** Which error says so. */
export const overflowOf = (facts: Readonly<Record<string, unknown>>): OverflowFacts | undefined =>
  facts["isOverflow"] === true ? { isOverflow: true, ...(typeof facts["window"] === "number" && { window: facts["window"] }) } : undefined;
