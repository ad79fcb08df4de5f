// An agent as Synadia's agent protocol sees it, message by message. The SDK itself is in `npm run test:fleet`.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HawserError } from "@hawser/protocol";
import { openFleet, openServer, serverProgram, skipWithoutServer } from "../../../test/kit/nats-server.ts";
import { until } from "../../../test/kit/until.ts";
import type { Fleet } from "../src/connect.ts";
import { fleetLimits } from "../src/limits.ts";
import { toDrainName } from "../src/subjects.ts";
import { servePrompts, type AnswerPrompt } from "../src/prompts/serve-prompts.ts";

describe("an agent for the SDKs of other agents", () => {
  let here: Fleet;
  let there: Fleet;
  beforeEach(skipWithoutServer);
  beforeAll(async () => {
    if (serverProgram === "") return;
    const server = await openServer({ maxPayload: 1_024 });
    [here, there] = [await openFleet(server), await openFleet(server)];
  });

  const serve = (session: string, answer: AnswerPrompt) =>
    servePrompts(there, { owner: "ada", session, version: "1.2.3", machine: "quay", answer });

  /** All messages up to the end: texts, statuses in brackets, errors as they are. */
  async function prompt(session: string, payload: string): Promise<string[]> {
    const heard: string[] = [];
    const inbox = here.createInbox();
    let isOver = false;
    here.connection.subscribe(inbox, {
      callback(_, message) {
        const code = message.headers?.get("Nats-Service-Error-Code");
        if (code !== undefined && code !== "") heard.push(`${code} ${message.headers?.get("Nats-Service-Error")}`);
        else if (message.data.length === 0) isOver = true;
        else {
          const { type, data } = message.json<{ type: string; data: string }>();
          heard.push(type === "status" ? `(${data})` : data);
        }
      },
    });
    here.say(`agents.prompt.hawser.ada.${session}`, payload, inbox);
    await until(() => isOver);
    return heard;
  }

  it("acknowledges a prompt, says its answer in pieces that fit, and ends with an empty message", async () => {
    const served = await serve("echo", async (text, { say }) => say(text.repeat(200)));
    expect(await prompt("echo", "hello")).toEqual(["(ack)", ...chunksOf("hello".repeat(200), 154)]);
    const faces = await prompt("echo", JSON.stringify({ prompt: "😀a", unknown: 1 }));
    expect(faces.slice(1).join("")).toBe("😀a".repeat(200));
    expect(faces.every((piece) => piece.isWellFormed())).toBe(true);
    await served.stop();
  });

  it("answers what isn't a prompt, what failed and what is too much with an error, and then the end", async () => {
    const { fleetPromptTurns } = fleetLimits;
    Object.assign(fleetLimits, { fleetPromptTurns: 1 });
    const hold = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const served = await serve("failing", async (text) => {
      if (text === "wait") return (began.resolve(), hold.promise);
      throw new HawserError("tool_failed", "no\r\nsuch: thing ü");
    });
    Object.assign(fleetLimits, { fleetPromptTurns });
    expect(await prompt("failing", "x")).toEqual(["(ack)", "500 no??such: thing ?"]);
    expect(await prompt("failing", "")).toEqual(["400 the prompt is empty, or not a text"]);
    expect(await prompt("failing", "{")).toEqual(["400 the prompt begins as JSON and isn't"]);
    expect(await prompt("failing", '{"prompt":7}')).toEqual(["400 the prompt is empty, or not a text"]);
    expect(await prompt("failing", '{"prompt":"x","attachments":[{}]}')).toEqual([expect.stringContaining("takes no attachments")]);
    const waiting = prompt("failing", "wait");
    await began.promise;
    expect(await prompt("failing", "x")).toEqual([expect.stringMatching(/^429 /)]);
    const stopped = served.stop(0);
    expect(await waiting).toEqual(["(ack)", "499 this agent is leaving"]);
    await stopped;
  });

  it("describes itself to discovery, to a question about its status, and by signs of life", async () => {
    const alive = new Promise<unknown>((resolve) => {
      here.connection.subscribe("agents.hb.*.*.*", { callback: (_, message) => resolve(message.json()) });
    });
    await here.connection.flush();
    const served = await serve("known", async () => {});
    const identity = { agent: "hawser", owner: "ada", session: "known", protocol_version: "0.3" };
    expect(await alive).toMatchObject({ ...identity, instance_id: served.id, interval_s: 10 });
    const status = await here.connection.request("agents.status.hawser.ada.known", "");
    expect(status.json()).toMatchObject({ ...identity, instance_id: served.id });
    const info = await here.connection.request("$SRV.INFO.agents", "");
    expect(info.json()).toMatchObject({
      name: "agents",
      metadata: identity,
      endpoints: [
        {
          name: "prompt",
          subject: "agents.prompt.hawser.ada.known",
          queue_group: "agents",
          metadata: { max_payload: "1024B", attachments_ok: "false" },
        },
        { name: "status" },
      ],
    });
    // Runtimes are told to leave by `agents`.
    let hasLeft = false;
    void served.drained.then(() => (hasLeft = true));
    here.say("hawser.fleet.drain", "agents");
    await here.connection.request("agents.status.hawser.ada.known", "");
    expect(hasLeft).toBe(false);
    here.say("hawser.fleet.drain", "prompts");
    await served.drained;
    await served.stop();
  });

  it("leaves together with others of its sort by a name that runtimes do not have", () => {
    expect(["prompts", "agent"].map((kind) => toDrainName({ name: "agents", metadata: { kind } }))).toEqual(["prompts", "agents"]);
  });

  it("is refused with a name that can't be part of a subject", async () => {
    await expect(serve("A.b", async () => {})).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("small letters") });
  });
});

const chunksOf = (text: string, size: number): string[] => text.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
