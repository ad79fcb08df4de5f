// rpc, part five: the token. It goes to the configured address with every call, and nowhere else. The
// contract's text does not speak of it, so this is additive.

import { rpcToken } from "../rpc-subject.ts";
import type { Scenario } from "../scenario.ts";
import { answered, at, failed, get, seen, setupWith, withStatus } from "./rpc-script.ts";

const header = "x-ignition-api-token";
const withToken = { headers: { [header]: rpcToken } };
const withoutToken = { headers: { [header]: { $absent: true }, authorization: { $absent: true } } };
const notToken = { $regex: `^(?:(?!${rpcToken})[^])*$` };

export const rpcTokenScenarios: readonly Scenario[] = [
  {
    id: "token",
    title: "every call carries the token, and an item can't give another",
    requirements: ["G13"],
    additive: true,
    setup: setupWith(),
    steps: [
      get("c", "/echo"),
      { expect: answered("c", 200) },
      get("other", "/echo", { headers: ["X-Ignition-API-Token: another"] }),
      { expect: { id: "other", code: { $either: [0, 2] } } },
      seen({ requests: { $either: [[withToken], [withToken, withToken]] } }),
    ],
  },
  {
    id: "token-redirect",
    title: "a redirect to another origin does not take the token along",
    requirements: ["G13"],
    additive: true,
    setup: setupWith([at("/away", { send: { status: 302, headers: { location: "http://localhost:{port}/echo/elsewhere" } } })]),
    steps: [
      get("c", "/away"),
      { expect: { id: "c", ok: { $type: "boolean" } } },
      seen({ requests: { $either: [[withToken], [withToken, withoutToken]] } }),
    ],
  },
  {
    id: "token-echoed",
    title: "a token that the API sends back is not in the answer",
    requirements: ["G7"],
    additive: true,
    setup: setupWith([
      { when: { path: "/mirror", headers: { [header]: { $bind: "token" } } }, send: { status: 200, body: { seen: { $same: "token" } } } },
      { when: { path: "/refuse", headers: { [header]: { $bind: "token" } } }, send: { status: 401, body: { bad: { $same: "token" } } } },
    ]),
    steps: [
      get("ok", "/mirror"),
      { expect: answered("ok", 200, notToken) },
      get("not", "/refuse"),
      { expect: failed("not", 6, { error: notToken, data: { response: { body: notToken } } }) },
    ],
  },
  {
    id: "token-unseen",
    title: "errors and diagnostics do not show the token",
    requirements: ["G7"],
    additive: true,
    setup: setupWith([withStatus(401), at("/cut", { close: true })]),
    steps: [
      get("auth", "/status/401"),
      { expect: failed("auth", 6, { error: notToken }) },
      get("cut", "/cut"),
      { expect: failed("cut", 7, { error: notToken }) },
      { endInput: true },
      { expectExit: { code: 0 } },
      seen({ stderr: notToken }),
    ],
  },
];
