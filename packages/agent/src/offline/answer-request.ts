// Which answer belongs to which kind of request, and the whole answer to one message: its requests, one
// after the other. "again" stands for the requests of the last message that asked for something else.

import { limits } from "@hawser/wire";
import { answerList, answerRead, answerReplace, answerSearch, answerWrite } from "./answer-files.ts";
import {
  answerAttachment,
  answerCalculate,
  answerGreet,
  answerHelp,
  answerIntroduce,
  answerNameAsked,
  answerNameTold,
  answerRepeated,
  answerSaid,
  answerThank,
  answerTime,
  answerUnknown,
} from "./answer-talk.ts";
import { answerCall, answerRun, answerTools, answerUse } from "./answer-tools.ts";
import { say, textOfMessage, type Answer, type Scene } from "./answer.ts";
import { parseRequest, type OfflineRequest } from "./parse-request.ts";

const answers: Readonly<Record<OfflineRequest["kind"], (request: OfflineRequest, scene: Scene) => Answer>> = {
  help: answerHelp,
  introduce: answerIntroduce,
  greet: answerGreet,
  thank: answerThank,
  time: answerTime,
  nameTold: answerNameTold,
  nameAsked: answerNameAsked,
  said: answerSaid,
  repeated: answerRepeated,
  again: answerNothingBefore,
  tools: answerTools,
  attachment: answerAttachment,
  list: answerList,
  read: answerRead,
  search: answerSearch,
  write: answerWrite,
  replace: answerReplace,
  run: answerRun,
  call: answerCall,
  use: answerUse,
  calculate: answerCalculate,
  unknown: answerUnknown,
};

export function* answerMessage(text: string, scene: Scene): Answer {
  if (text.length > limits.offlineMessageChars) {
    const sizes = `Your message has ${text.length} characters; the offline model reads at most ${limits.offlineMessageChars}.`;
    yield* say(`${sizes} Send less, or put the text in a file and say for example \`read the file notes.txt\`.`);
    return;
  }
  const parsed = parseRequest(text);
  const requests = parsed.flatMap((request) => (request.kind === "again" ? requestsBefore(scene) : [request]));
  const taken = requests.slice(0, limits.offlineRequestEntries);
  if (taken.length === 0) yield* answerUnknown({ kind: "unknown", captures: {}, said: "" }, scene);
  for (const [at, request] of taken.entries()) yield* answers[request.kind](request, { ...scene, before: taken.slice(0, at) });
  if (requests.length > taken.length)
    yield* say(`I take on ${limits.offlineRequestEntries} requests of one message; the rest is left undone.`);
}

/** How many messages back "again" looks. */
const maxLookedAt = 20;

function requestsBefore({ earlier }: Scene): readonly OfflineRequest[] {
  const texts = earlier
    .filter(({ role }) => role === "user")
    .slice(-maxLookedAt)
    .map(textOfMessage);
  for (const text of texts.toReversed()) {
    if (text.length > limits.offlineMessageChars) continue;
    const requests = parseRequest(text).filter(({ kind }) => kind !== "again" && kind !== "repeated");
    if (requests.length > 0) return requests;
  }
  return [{ kind: "again", captures: {}, said: "again" }];
}

function* answerNothingBefore(): Answer {
  yield* say("You have not asked for anything yet that I could do again.");
}
