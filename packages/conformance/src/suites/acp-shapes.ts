// What an agent of ACP v1 may say, as patterns: results by the method that was called, requests and notifications by their own. Members
// that the protocol does not name are ignored, since later versions of v1 add some. Updates for which a client must ask first (notices,
// compaction) are left out: no scenario asks for them.

import type { Dialect } from "../scenario.ts";

const text = { $type: "string" };
const whole = { $type: "integer", $number: { min: 0 } };
const flag = { $type: "boolean" };
const optional = (pattern: unknown): object => ({ $optional: pattern });
const nullable = (pattern: unknown): object => ({ $nullable: pattern });
const each = (pattern: unknown): object => ({ $each: pattern });
const oneOf = (...values: string[]): object => ({ $either: values });
const cases = (by: string, of: Readonly<Record<string, unknown>>): object => ({ $cases: { by, of } });
const object = { $type: "object" };
const absolutePath = { $regex: "^(?:/|[A-Za-z]:[\\\\/]|\\\\\\\\)" };

// --- content

const meta = { _meta: nullable(object) };
const annotations = nullable({
  audience: nullable(each(oneOf("assistant", "user"))),
  lastModified: nullable(text),
  priority: nullable({ $type: "number" }),
});

const block = cases("type", {
  text: { text, annotations, ...meta },
  image: { data: text, mimeType: text, uri: nullable(text), annotations, ...meta },
  audio: { data: text, mimeType: text, annotations, ...meta },
  resource_link: {
    name: text,
    uri: text,
    description: nullable(text),
    mimeType: nullable(text),
    size: nullable({ $type: "integer" }),
    annotations,
    ...meta,
  },
  resource: {
    resource: {
      $either: [
        { uri: text, text },
        { uri: text, blob: text },
      ],
    },
    annotations,
    ...meta,
  },
});

// --- tool calls

const kind = oneOf("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other");
const status = oneOf("pending", "in_progress", "completed", "failed");
const toolContent = each(
  cases("type", {
    content: { content: block },
    diff: { path: absolutePath, oldText: nullable(text), newText: text },
    terminal: { terminalId: text },
  }),
);
const locations = each({ path: absolutePath, line: nullable(whole) });

const toolCall = {
  ...{ toolCallId: text, title: text, name: nullable(text), kind: optional(kind), status: optional(status) },
  ...{ content: optional(toolContent), locations: optional(locations), ...meta },
};
const toolCallUpdate = {
  ...{ toolCallId: text, title: nullable(text), name: nullable(text), kind: nullable(kind), status: nullable(status) },
  ...{ content: nullable(toolContent), locations: nullable(locations), ...meta },
};

// --- what a session can be set to

const modes = nullable({
  currentModeId: { ...text, $bind: "mode" },
  availableModes: { $distinct: "id", $each: { id: text, name: text, description: nullable(text) }, $some: { id: { $same: "mode" } } },
});

const choice = { value: text, name: text, description: nullable(text) };
const hasCurrent = { $some: { value: { $same: "current" } } };
const configOption = cases("type", {
  select: {
    ...{ id: text, name: text, description: nullable(text), category: nullable(text), currentValue: { ...text, $bind: "current" } },
    options: {
      $either: [
        { $each: choice, ...hasCurrent },
        { $each: { group: text, name: text, options: each(choice) }, $some: { options: hasCurrent } },
      ],
    },
  },
  boolean: { id: text, name: text, description: nullable(text), category: nullable(text), currentValue: flag },
});
const configOptions = { $distinct: "id", $each: configOption };
const state = { modes, configOptions: nullable(configOptions), ...meta };

// --- updates

const chunk = { content: block, messageId: nullable(text), ...meta };
const planEntry = { content: text, priority: oneOf("high", "medium", "low"), status: oneOf("pending", "in_progress", "completed") };

const update = cases("sessionUpdate", {
  user_message_chunk: chunk,
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  tool_call: toolCall,
  tool_call_update: toolCallUpdate,
  plan: { entries: each(planEntry), ...meta },
  available_commands_update: { availableCommands: each({ name: text, description: text, input: nullable({ hint: text }) }), ...meta },
  current_mode_update: { currentModeId: text, ...meta },
  config_option_update: { configOptions, ...meta },
  session_info_update: { title: nullable(text), updatedAt: nullable(text), ...meta },
  usage_update: { used: whole, size: whole, cost: nullable({ amount: { $type: "number" }, currency: { $regex: "^[A-Z]{3}$" } }), ...meta },
});

// --- requests to the client

const sessionId = text;
const option = { optionId: text, name: text, kind: oneOf("allow_once", "allow_always", "reject_once", "reject_always") };
const offered = (clientCapabilities: object): { offered: object } => ({ offered: { clientCapabilities } });
const ofTerminal = { params: { sessionId, terminalId: text }, ...offered({ terminal: true }) };
const ofElicitation = { $either: [{ elicitation: { form: object } }, { elicitation: { url: object } }] };

const capability = nullable(object);
const agentCapabilities = optional({
  loadSession: optional(flag),
  promptCapabilities: optional({ image: optional(flag), audio: optional(flag), embeddedContext: optional(flag) }),
  mcpCapabilities: optional({ http: optional(flag), sse: optional(flag) }),
  sessionCapabilities: optional({
    ...{ list: capability, delete: capability, additionalDirectories: capability, resume: capability, close: capability },
  }),
  auth: optional({ logout: capability }),
  ...meta,
});

const initialized = {
  agentCapabilities,
  authMethods: optional({ $distinct: "id", $each: { id: text, name: text, description: nullable(text) } }),
  agentInfo: nullable({ name: text, title: nullable(text), version: text }),
  ...meta,
};

export const acpDialect: Dialect = {
  results: {
    // A client of a later version may be answered in the shape of that version.
    initialize: { $cases: { by: "protocolVersion", of: { 1: initialized }, other: { protocolVersion: { $type: "integer" } } } },
    "session/new": { sessionId: { ...text, $length: { min: 1 } }, ...state },
    // The manual shows null where the schema has an object.
    "session/load": { $either: [null, state] },
    "session/resume": state,
    "session/list": {
      sessions: {
        $distinct: "sessionId",
        $each: {
          sessionId: text,
          cwd: absolutePath,
          additionalDirectories: optional(each(absolutePath)),
          title: nullable(text),
          updatedAt: nullable(text),
        },
      },
      nextCursor: nullable(text),
      ...meta,
    },
    "session/close": object,
    "session/delete": object,
    "session/set_mode": object,
    "session/set_config_option": { configOptions, ...meta },
    "session/prompt": { stopReason: oneOf("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"), ...meta },
    authenticate: { $either: [null, object] },
  },
  requests: {
    "session/request_permission": {
      params: { sessionId, toolCall: toolCallUpdate, options: { $length: { min: 1 }, $distinct: "optionId", $each: option }, ...meta },
    },
    "fs/read_text_file": {
      params: { sessionId, path: absolutePath, line: nullable(whole), limit: nullable(whole) },
      ...offered({ fs: { readTextFile: true } }),
    },
    "fs/write_text_file": { params: { sessionId, path: absolutePath, content: text }, ...offered({ fs: { writeTextFile: true } }) },
    "terminal/create": {
      params: {
        ...{ sessionId, command: text, args: optional(each(text)), env: optional(each({ name: text, value: text })) },
        ...{ cwd: nullable(absolutePath), outputByteLimit: nullable(whole) },
      },
      ...offered({ terminal: true }),
    },
    "terminal/output": ofTerminal,
    "terminal/release": ofTerminal,
    "terminal/wait_for_exit": ofTerminal,
    "terminal/kill": ofTerminal,
    "elicitation/create": { params: { message: text, mode: text }, offered: { clientCapabilities: ofElicitation } },
  },
  notifications: {
    "session/update": { params: { sessionId, update, ...meta } },
    "elicitation/complete": { params: { elicitationId: text } },
    "$/cancel_request": { params: { requestId: { $either: [text, { $type: "integer" }, null] } } },
  },
};
