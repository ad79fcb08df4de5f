// The capability `settings`: what a user sets in a host instead of in files. The runtime keeps it: the configuration in its file, keys in
// the system's keychain or in a file for this user alone. No answer ever holds a key, nor a value of `env` or `headers`.

import * as v from "valibot";
import { anything, described, flag, jsonObject, number, text, texts } from "../described.ts";
import { answer, example, requestId as id } from "./envelope.ts";

const vendor = text("`anthropic`, `openai`, or the name of one of `openaiServers`.");
const server = text("As the configuration calls it.");
const byName = (what: string) => v.exactOptional(jsonObject(`${what} by name, as in the configuration; null removes one.`));

const changes = v.object({
  model: v.exactOptional(
    described(v.nullable(v.string()), "The model that answers unless a message picks another; null: the first that can be used."),
  ),
  allowedCommands: v.exactOptional(texts("Programs that `run_command` may start, all of them.")),
  permissions: v.exactOptional(described(v.array(anything("A rule.")), "The rules, all of them, in their order.")),
  agents: byName("Agents that speak ACP,"),
  mcpServers: byName("MCP servers,"),
  openaiServers: byName("Servers that speak OpenAI's Chat Completions,"),
  merge: v.exactOptional(
    flag(
      "For a runtime with the capability `settings_edit`. An entry that is there is changed, not replaced: members of it that are not named stay, and so do the names in its `env` and `headers`; null removes one. With `error` for an entry that is there no more, and where what an entry proves itself with would stay while its address changes, comes or goes: `headers` with the origin of `url`, `credentials` with `fleet`, `apiKeyEnv` with the origin of `baseUrl`.",
    ),
  ),
});

const ofConversation = v.exactOptional(
  text("For a runtime with the capability `settings_edit`: a conversation, in whose folders there may be MCP servers, too."),
);

const afterwards = "Answered with one `settings`, then `done`.";

export const settingsRequests = {
  get_settings: {
    summary: `Additive. What is set, and how the MCP servers are. ${afterwards}`,
    schema: v.object({ id, kind: v.literal("get_settings"), conversationId: ofConversation }),
    examples: [
      { id: "req-uuid-170", kind: "get_settings" },
      { id: "req-uuid-177", kind: "get_settings", conversationId: "conv-1" },
    ],
  },
  set_settings: {
    summary: `Additive. Changes the configuration file, and counts at once; running turns go on as they began. What is not named stays, also what this version does not know. ${afterwards} With \`error\`, and nothing changed, for what the runtime would not start with. A host shows this request in no log: \`env\` and \`headers\` may hold secrets.`,
    schema: v.object({ id, kind: v.literal("set_settings"), changes }),
    examples: [
      { id: "req-uuid-171", kind: "set_settings", changes: { model: "anthropic/claude-sonnet-5-5", allowedCommands: ["git"] } },
      {
        id: "req-uuid-172",
        kind: "set_settings",
        changes: {
          mcpServers: { tides: { command: "tides-server" }, old: null },
          openaiServers: { harbour: { baseUrl: "http://127.0.0.1:8080/v1" } },
        },
      },
      {
        id: "req-uuid-179",
        kind: "set_settings",
        changes: { mcpServers: { tides: { args: ["--port", "Hamburg"], env: { TIDES_TOKEN: null } } }, merge: true },
      },
    ],
  },
  set_key: {
    summary: `Additive. Keeps the key of a vendor: in the system's keychain, or where there is none in a file for this user alone. Its models can be used at once. The key of a server goes to the address that the server has now and to no other: under another one \`settings\` has a \`problem\` for it, until it is set again. ${afterwards} With \`error\` where it would have no effect, since a variable of the environment comes before it. A host shows this request in no log, and keeps nothing of it.`,
    schema: v.object({ id, kind: v.literal("set_key"), vendor, apiKey: text("The key; empty: the one that is kept is removed.") }),
    examples: [{ id: "req-uuid-173", kind: "set_key", vendor: "anthropic", apiKey: "…" }],
  },
  test_key: {
    summary:
      "Additive. Asks a vendor for its list of models, with the key that is kept or set. Answered with one `key_tested`, then `done`, within 10 seconds.",
    schema: v.object({ id, kind: v.literal("test_key"), vendor }),
    examples: [{ id: "req-uuid-174", kind: "test_key", vendor: "anthropic" }],
  },
  restart_server: {
    summary: `Additive. Connects to an MCP server of the configuration anew. A call that runs there fails. ${afterwards} Not before it is connected, or that has failed.`,
    schema: v.object({
      id,
      kind: v.literal("restart_server"),
      server,
      conversationId: ofConversation,
      folder: v.exactOptional(text("With `conversationId`: the folder whose server it is, instead of the configuration's.")),
    }),
    examples: [
      { id: "req-uuid-175", kind: "restart_server", server: "tides" },
      { id: "req-uuid-178", kind: "restart_server", server: "tides", conversationId: "conv-1", folder: "/home/ada/quay" },
    ],
  },
  switch_tool: {
    summary: `Additive. Whether models are offered a tool of an MCP server of the configuration. ${afterwards}`,
    schema: v.object({
      id,
      kind: v.literal("switch_tool"),
      server,
      tool: text("As the server calls it."),
      on: flag("False: it is not offered, and can't be called."),
    }),
    examples: [{ id: "req-uuid-176", kind: "switch_tool", server: "tides", tool: "forecast", on: false }],
  },
} as const;

const keyEntry = v.object({
  vendor,
  place: described(v.picklist(["keychain", "environment", "file", "none"]), "Where its key is kept."),
  variable: v.exactOptional(text("The variable of the environment that comes before what is kept.")),
  problem: v.exactOptional(text("Why a key that is kept can't be used.")),
});

const serverTool = v.object({
  name: text("As the server calls it."),
  description: text("What the server says of it, cut."),
  on: flag("Whether models are offered it."),
});

/** What of an entry can be written again as it was told; missing where it can't, since a name or password is left out of it. */
const written = {
  command: v.exactOptional(text("Additive. Its program, where it can be edited.")),
  args: v.exactOptional(texts("Additive. The arguments of the program.")),
};

const configuredServer = v.object({
  name: server,
  state: text("As in `status`; `off`: the configuration says `disabled`."),
  reason: v.exactOptional(text("Why it failed or is lost.")),
  place: text("Its command with the arguments, or its address."),
  ...written,
  url: v.exactOptional(text("Additive. Its address, where it can be edited.")),
  secrets: texts("The names in its `env` and `headers`; never their values."),
  tools: v.array(serverTool),
  toolsLeftOut: v.exactOptional(number("Additive. How many more it has, for which one line has no room.")),
});

const settingsData = v.object({
  file: text("The configuration file."),
  problem: v.exactOptional(text("What is wrong with the file as it is now; it has to be mended before anything can be saved.")),
  model: v.exactOptional(text("As the file says.")),
  modelGiven: v.exactOptional(text("A flag or a variable that comes before the file, and what it says.")),
  allowedCommands: texts("As the file says."),
  permissions: described(v.array(anything("A rule.")), "As the file says."),
  agents: v.array(
    v.object({
      name: server,
      place: text("Its command with the arguments."),
      ...written,
      secrets: v.exactOptional(texts("Additive. The names in its `env`; never their values.")),
    }),
  ),
  openaiServers: v.array(v.object({ name: server, baseUrl: text("Its address."), models: texts("Those that are listed.") })),
  keys: described(v.array(keyEntry), "Of every vendor that may have one."),
  mcpServers: v.array(configuredServer),
  folderServers: v.exactOptional(
    described(
      v.array(v.object({ ...configuredServer.entries, folder: text("Whose file has it.") })),
      "Additive. MCP servers that trusted folders of the conversation bring along. Their files say what they are; a host can restart them.",
    ),
  ),
});

export const settingsResponses = {
  settings: {
    summary: "Additive. What is set.",
    schema: v.object({ ...answer("settings"), data: settingsData }),
    examples: [
      example("settings", 170, 7, {
        data: {
          file: "/home/ada/.config/hawser/agent.json",
          model: "anthropic/claude-sonnet-5-5",
          allowedCommands: ["git"],
          permissions: [{ tool: "write_file", match: { path: "docs/**" }, decision: "allow" }],
          agents: [{ name: "mine", place: "my-agent --acp", command: "my-agent", args: ["--acp"], secrets: [] }],
          openaiServers: [{ name: "harbour", baseUrl: "http://127.0.0.1:8080/v1", models: ["pilot-1"] }],
          keys: [
            { vendor: "anthropic", place: "keychain" },
            { vendor: "openai", place: "environment", variable: "OPENAI_API_KEY" },
            { vendor: "harbour", place: "none" },
          ],
          mcpServers: [
            {
              name: "tides",
              state: "connected",
              place: "tides-server --port Hamburg",
              command: "tides-server",
              args: ["--port", "Hamburg"],
              secrets: ["TIDES_TOKEN"],
              tools: [{ name: "forecast", description: "High and low water.", on: true }],
            },
          ],
        },
      }),
    ],
  },
  key_tested: {
    summary: "Additive. What a vendor said to its key.",
    schema: v.object({
      ...answer("key_tested"),
      data: v.object({
        vendor,
        works: flag("The vendor takes the key."),
        message: text("The same for people; what to do if it does not work."),
        models: v.exactOptional(texts("The models that it lists, the first of them.")),
        modelCount: v.exactOptional(number("How many it lists.")),
      }),
    }),
    examples: [
      example("key_tested", 174, 7, {
        data: {
          vendor: "anthropic",
          works: true,
          message: "It works: 2 models.",
          models: ["claude-sonnet-5-5", "claude-haiku-5"],
          modelCount: 2,
        },
      }),
    ],
  },
} as const;

/** Requests that may hold a secret: no log, no view and no other page shows what they say. */
export const privateKinds: readonly string[] = ["set_key", "set_settings"];

export type SettingsData = v.InferOutput<typeof settingsData>;
export type SettingsChanges = v.InferOutput<typeof changes>;
export type KeyEntry = v.InferOutput<typeof keyEntry>;
export type KeyTest = v.InferOutput<typeof settingsResponses.key_tested.schema>["data"];
