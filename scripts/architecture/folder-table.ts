// Which folders of a package may import which, as data; `import-table.ts` says the same of packages. A new folder, or a new arrow between
// two of them, is added here first.

export interface Folder {
  /** What belongs into the folder, in one line. */
  readonly holds: string;
  /** The folders of the same package that it may import. A package's name stands for the files directly in its `src`. */
  readonly imports: readonly string[];
}

/**
 * The walls inside the packages. Every folder of a `src` has a row; a deeper folder may have one of its own. Files that are
 * directly in `src` may import every folder of their package.
 */
export const folders: Readonly<Record<string, Folder>> = {
  "protocol/agent": { holds: "the agent protocol: requests, responses, the data in them", imports: ["protocol"] },
  "protocol/text": { holds: "cutting, showing and comparing texts, the same in every program", imports: ["protocol"] },

  "wire/codec": { holds: "bytes to messages and back; synchronous", imports: ["wire", "wire/transport"] },
  "wire/transport": {
    holds: "three verbs over a stream or memory: `incoming`, `send`, `close`",
    imports: ["wire", "wire/codec", "wire/flow"],
  },
  "wire/flow": { holds: "semaphore, byte budget, outbox, mailbox; deadlines, cancelling, who waits for which answer", imports: ["wire"] },
  "wire/files": { holds: "private folders, temporary folders, locks", imports: ["wire", "wire/process", "wire/socket"] },
  "wire/process": {
    holds: "how a process starts, guards its stdout, owns its children and ends",
    imports: ["wire", "wire/codec", "wire/flow", "wire/transport"],
  },
  "wire/socket": {
    holds: "Unix sockets: names, private directories, publishing, removal",
    imports: ["wire", "wire/files", "wire/flow", "wire/process"],
  },
  "wire/echo": {
    holds: "the smallest server: the echo protocol",
    imports: ["wire", "wire/codec", "wire/flow", "wire/process", "wire/transport"],
  },

  "tools/json-schema": { holds: "the check of arguments against a JSON Schema, in slices of time", imports: ["tools"] },

  "bridge/parent": { holds: "the session in the program that owns the functions", imports: ["bridge", "bridge/contract"] },
  "bridge/process": { holds: "the bridge process, which an MCP client starts", imports: ["bridge", "bridge/contract"] },
  "bridge/contract": { holds: "what both sides say and know: the contract, its options, notes", imports: ["bridge"] },

  "gateway/config": { holds: "address, token and profiles: flags before environment before file", imports: ["gateway"] },
  "gateway/openapi": { holds: "an API document as an index of operations; reads no file and no network", imports: ["gateway"] },
  "gateway/document": {
    holds: "where the document comes from: file, API or cache",
    imports: ["gateway", "gateway/config", "gateway/execute", "gateway/openapi", "gateway/request"],
  },
  "gateway/request": {
    holds: "a call and its operation become an HTTP request; pure",
    imports: ["gateway", "gateway/config", "gateway/openapi"],
  },
  "gateway/execute": {
    holds: "one request becomes one outcome: token, deadline, retry, redirects, size limits",
    imports: ["gateway", "gateway/config", "gateway/openapi", "gateway/request"],
  },
  "gateway/rpc": { holds: "the server of igw-rpc-v1: reader, lane of calls, answers", imports: ["gateway", "gateway/request"] },
  "gateway/batch": {
    holds: "many calls from a file or a pipe, in bounded memory",
    imports: ["gateway", "gateway/document", "gateway/execute", "gateway/request", "gateway/rpc"],
  },
  "gateway/host": { holds: "the other end of rpc, for programs: handshake, calls with a signal, restarts", imports: ["gateway"] },
  "gateway/tools": {
    holds: "operations as tools for a model",
    imports: ["gateway", "gateway/config", "gateway/document", "gateway/openapi", "gateway/request"],
  },
  "gateway/demo": { holds: "the small API behind `--demo`", imports: ["gateway"] },

  "agent/runtime": {
    holds: "the server and the one loop of a turn: step of the model, tools, next step",
    imports: [
      "agent",
      "agent/attachments",
      "agent/changes",
      "agent/context",
      "agent/history",
      "agent/model",
      "agent/permissions",
      "agent/tools",
    ],
  },
  "agent/context": {
    holds: "what a model is told of a conversation, and the summaries that make room",
    imports: ["agent", "agent/history", "agent/model"],
  },
  "agent/model": { holds: "what a model is, which one answers, and vendors behind the AI SDK", imports: ["agent", "agent/offline"] },
  "agent/offline": { holds: "the model without a model", imports: ["agent", "agent/context", "agent/model", "agent/tools"] },
  "agent/tools": { holds: "files inside the roots, and commands without a shell", imports: ["agent"] },
  "agent/changes": {
    holds: "undo: what turns change in files, kept, listed and taken back",
    imports: ["agent", "agent/changes/thread", "agent/tools"],
  },
  "agent/changes/thread": { holds: "what runs in the thread that looks at trees; loads no other package", imports: ["agent/tools"] },
  "agent/mcp": { holds: "MCP servers as tools", imports: ["agent", "agent/config", "agent/tools"] },
  "agent/permissions": {
    holds: "who decides about a call: rules, remembered answers, the audit log",
    imports: ["agent", "agent/rules", "agent/tools"],
  },
  "agent/rules": { holds: "permission rules as they are written, and their check; needs no Node", imports: ["agent"] },
  "agent/history": { holds: "a journal on disk for each conversation", imports: ["agent"] },
  "agent/attachments": {
    holds: "files of a message, read and checked",
    imports: ["agent", "agent/model", "agent/permissions", "agent/tools"],
  },
  "agent/guidance": { holds: "what files tell the model: instructions and skills", imports: ["agent", "agent/tools"] },
  "agent/config": { holds: "the configuration file", imports: ["agent", "agent/changes", "agent/model", "agent/rules", "agent/runtime"] },
  "agent/keys": {
    holds: "keys of vendors that are kept for the user, and whether a vendor takes one",
    imports: ["agent/config", "agent/model"],
  },
  "agent/host": { holds: "the other end, for programs: a turn as an async iterable, timeouts, restarts", imports: ["agent/rules"] },

  "claude-code/language": { holds: "Claude Code as a language model of the AI SDK: one step at a time", imports: ["claude-code"] },

  "acp/connection": { holds: "JSON-RPC over a process's lines, as the ACP library takes it", imports: ["acp"] },
  "acp/server": { holds: "our runtime as an agent for editors", imports: ["acp", "acp/connection"] },
  "acp/agents": { holds: "agents of others behind the runtime: their processes, sessions, turns", imports: ["acp", "acp/connection"] },

  "fleet/conversations": {
    holds: "conversations that survive their machine: journal, claim, the lines of hosts and runtimes",
    imports: ["fleet"],
  },
  "fleet/tools": { holds: "tools of one machine for the others: offered, listed, called", imports: ["fleet"] },
  "fleet/batch": { holds: "calls near their targets: batches on a queue, workers of sites, results", imports: ["fleet"] },
  "fleet/prompts": { holds: "an agent for the SDKs of Synadia's agent protocol", imports: ["fleet"] },
  "fleet/server": {
    holds: "NATS servers to try it out with, where they come from, and what servers say about themselves",
    imports: ["fleet"],
  },

  "shell/server": {
    holds: "the local server: access, files of the page, lines between tabs and the runtime",
    imports: ["shell", "shell/link"],
  },
  "shell/link": { holds: "what the page and the server say to each other beside the agent's lines", imports: [] },
  "shell/page": {
    holds: "the page's start",
    imports: ["shell/page/components", "shell/page/links", "shell/page/markdown", "shell/page/session"],
  },
  "shell/page/access": { holds: "how the page gets in: key, credential, other tabs", imports: ["shell", "shell/link"] },
  "shell/page/links": {
    holds: "how lines reach the page: WebSocket or desktop window",
    imports: ["shell", "shell/link", "shell/page/access", "shell/page/session", "shell/page/state"],
  },
  "shell/page/state": { holds: "events of the agent folded into what the screen shows; pure", imports: ["shell", "shell/link"] },
  "shell/page/session": {
    holds: "the running conversation: agent client, store, actions",
    imports: ["shell", "shell/page/links", "shell/page/state"],
  },
  "shell/page/components": {
    holds: "what is on the screen",
    imports: [
      "shell",
      "shell/page/links",
      "shell/page/markdown",
      "shell/page/search",
      "shell/page/session",
      "shell/page/settings",
      "shell/page/state",
      "shell/page/tools",
      "shell/page/wire",
    ],
  },
  "shell/page/search": { holds: "the search over all conversations", imports: ["shell", "shell/page/session"] },
  "shell/page/tools": {
    holds: "tool cards and approvals",
    imports: ["shell", "shell/page/components", "shell/page/markdown", "shell/page/session", "shell/page/state"],
  },
  "shell/page/markdown": { holds: "a model's text as Markdown, inert", imports: ["shell", "shell/page/components"] },
  "shell/page/wire": {
    holds: "the wire view: every message, timed and decoded",
    imports: ["shell/page/components", "shell/page/markdown", "shell/page/session", "shell/page/state", "shell/page/tools"],
  },
  "shell/page/settings": {
    holds: "the settings: the runtime's, and those of the desktop app",
    imports: ["shell", "shell/page/components", "shell/page/links", "shell/page/session"],
  },

  "conformance/suites": { holds: "the scenarios, as data", imports: ["conformance"] },

  "hawser/command-line": { holds: "what all commands share: options, input, output, failures, interruption", imports: ["hawser"] },
  "hawser/api-target": {
    holds: "what the gateway's commands share: the flags of a target, JSON output",
    imports: ["hawser", "hawser/command-line"],
  },
  "hawser/agent": {
    holds: "`hawser agent`: puts the parts of an agent together; how `chat` and `shell` start it",
    imports: ["hawser", "hawser/api-target", "hawser/command-line", "hawser/expose", "hawser/fleet"],
  },
  "hawser/chat": {
    holds: "`hawser chat`: an agent in the terminal",
    imports: ["hawser", "hawser/agent", "hawser/command-line", "hawser/fleet"],
  },
  "hawser/shell": { holds: "`hawser shell`", imports: ["hawser", "hawser/agent", "hawser/command-line", "hawser/fleet"] },
  "hawser/acp": { holds: "`hawser acp`: the agent in editors", imports: ["hawser", "hawser/agent", "hawser/command-line"] },
  "hawser/bridge": { holds: "`hawser bridge`", imports: ["hawser", "hawser/command-line", "hawser/fleet"] },
  "hawser/expose": { holds: "`hawser expose`: a module's functions as tools", imports: ["hawser/command-line", "hawser/fleet"] },
  "hawser/call": {
    holds: "`hawser call` and `call --batch`",
    imports: ["hawser", "hawser/api", "hawser/api-target", "hawser/command-line", "hawser/fleet"],
  },
  "hawser/rpc": { holds: "`hawser rpc`", imports: ["hawser", "hawser/api-target", "hawser/command-line", "hawser/fleet"] },
  "hawser/api": { holds: "`hawser api`: looks into the API's document", imports: ["hawser/api-target", "hawser/command-line"] },
  "hawser/config": { holds: "`hawser config`: addresses and tokens", imports: ["hawser/api-target", "hawser/command-line"] },
  "hawser/doctor": { holds: "`hawser doctor`", imports: ["hawser/api-target", "hawser/command-line", "hawser/fleet"] },
  "hawser/gateway": { holds: "`hawser gateway demo`", imports: ["hawser", "hawser/api-target", "hawser/call", "hawser/command-line"] },
  "hawser/igw": {
    holds: "the program `igw`: the gateway's commands under the name that hosts know",
    imports: ["hawser/api-target", "hawser/command-line"],
  },
  "hawser/schema": {
    holds: "`hawser schema` and `exit-codes`, for programs",
    imports: ["hawser", "hawser/api-target", "hawser/command-line"],
  },
  "hawser/conform": { holds: "`hawser conform`", imports: ["hawser", "hawser/command-line"] },
  "hawser/fleet": {
    holds: "`hawser fleet`, and the flags that lead to a fleet",
    imports: ["hawser", "hawser/agent", "hawser/chat", "hawser/command-line"],
  },
  "hawser/echo": { holds: "`hawser echo`", imports: ["hawser/command-line"] },
  "hawser/tour": { holds: "`hawser tour`", imports: ["hawser", "hawser/command-line"] },
  "hawser/completion": { holds: "`hawser completion`", imports: ["hawser", "hawser/command-line"] },
};
