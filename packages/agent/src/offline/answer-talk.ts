// Answers that need no tool: what the model is and understands, the time, arithmetic, and what was said
// earlier in the conversation.

import { cutText, type ConversationMessage } from "@hawser/protocol/internal";
import { countOf, quote, say, shorten, textOfMessage, toBlock, toList, type Answers, type Scene } from "./answer.ts";
import { calculate, formatNumber } from "./arithmetic.ts";
import { parseRequest, type OfflineRequest } from "./parse-request.ts";
import { formatRequests, requestTable, type RequestKind, type RequestRow } from "./request-table.ts";

const identity =
  "I am Hawser's offline model. I am not a language model: I understand a fixed set of requests and use the real tools for them.";
const connect =
  "For free conversation, connect a real model: set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or start Ollama, and choose it with `--model`, for example `--model anthropic` or `--model ollama/llama3.2`.";
const suggested: readonly RequestKind[] = ["list", "read", "search", "calculate", "help"];

const exampleOf = (kind: RequestKind): string => `\`${(requestTable[kind] as RequestRow).examples[0] ?? kind}\``;

export const talkAnswers = {
  *help() {
    yield* say(`${identity} This is what I understand:`);
    yield* say(formatRequests());
    yield* say(
      `Several requests may stand in one message, joined by “and”, “then” or “;”. Put a text that holds such words in quotes. ${connect}`,
    );
  },
  *introduce() {
    yield* say(`${identity} Say \`help\` to see them. ${connect}`);
  },
  *greet(_, scene) {
    const name = findName(scene);
    yield* say(`Hello${name === undefined ? "" : `, ${name}`}! ${identity} Say \`help\` to see them, or try ${exampleOf("list")}.`);
  },
  *thank() {
    yield* say("You are welcome.");
  },
  *unknown({ said }, scene) {
    const attached = scene.attachments.length > 0 ? ` (with ${countOf(scene.attachments.length, "attached file")})` : "";
    const examples = toList(suggested.map(exampleOf));
    const read =
      said === ""
        ? `There is nothing in your message that I could act on${attached}.`
        : `I read ${quote(said)}${attached}, which I do not understand.`;
    yield* say(`${read} ${identity} For example:\n${examples}`);
    yield* say(connect);
  },
  *time(_, { now }) {
    const [date, time] = now.toISOString().slice(0, 19).split("T");
    const local = [now.getHours(), now.getMinutes(), now.getSeconds()].map(twoDigits).join(":");
    yield* say(`It is ${time} UTC on ${days[now.getUTCDay()]}, ${date}${now.getTimezoneOffset() === 0 ? "" : `; here it is ${local}`}.`);
  },
  *calculate({ captures }) {
    const expression = (captures["expression"] ?? "").replace(/[=?\s]+$/, "");
    const result = calculate(expression);
    if (result.ok) yield* say(`${expression} = ${formatNumber(result.value)}`);
    else yield* say(`I can't work out \`${shorten(expression, 200)}\`: ${result.problem}.`);
  },
  *nameTold({ captures }) {
    yield* say(`Nice to meet you, ${shorten(captures["name"] ?? "", 120)}. I will remember your name in this conversation.`);
  },
  *nameAsked(_, scene) {
    const name = findName(scene);
    yield* say(name === undefined ? "You have not told me your name. Say, for example, `my name is Ada`." : `Your name is ${name}.`);
  },
  *said(_, { earlier }) {
    const said = userMessages(earlier).map((message) => quote(textOfMessage(message), 200));
    const shown = said.slice(-maxSaid);
    if (said.length === 0) yield* say("This is the beginning of our conversation; you have not said anything before.");
    else yield* say(`${said.length > shown.length ? `The last ${shown.length} things that you said` : "You said"}:\n${toList(shown)}`);
  },
  *repeated(_, { earlier }) {
    const last = earlier.findLast((message) => message.role === "assistant" && textOfMessage(message) !== "");
    yield* say(last ? `I said:\n\n${shorten(textOfMessage(last))}` : "I have not said anything yet.");
  },
  *again() {
    yield* say("You have not asked for anything yet that I could do again.");
  },
  *attachment(_, { attachments }) {
    if (attachments.length === 0)
      yield* say("No file is attached to your message. To read one of the folder, say for example `read the README`.");
    for (const { path, content } of attachments) {
      if (content === undefined) yield* say(`${path} can't be read any more.`);
      else if (typeof content === "string") yield* say(content === "" ? `${path} is empty.` : `${path} says:\n\n${toBlock(content)}`);
      else yield* say(`${path} has ${countOf(content.byteLength, "byte")}. I can't see pictures; a real model may.`);
    }
  },
} satisfies Answers;

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** How far back the model looks; a conversation may have any length. */
const maxLookedAt = 200;
const maxNameMessageChars = 2_000;

function findName({ before, earlier }: Scene): string | undefined {
  const nameIn = (requests: readonly OfflineRequest[]): string | undefined => {
    const name = requests.findLast(({ kind }) => kind === "nameTold")?.captures["name"];
    return name === undefined ? undefined : cutText(name, 120, "");
  };
  const inThisMessage = nameIn(before);
  if (inThisMessage !== undefined) return inThisMessage;
  for (const message of userMessages(earlier).toReversed()) {
    const text = textOfMessage(message);
    const name = text.length <= maxNameMessageChars && /name|call me/i.test(text) ? nameIn(parseRequest(text)) : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

const userMessages = (messages: readonly ConversationMessage[]): readonly ConversationMessage[] =>
  messages.slice(-maxLookedAt).filter(({ role }) => role === "user");

const maxSaid = 5;
