// How each editor is told to start an ACP agent: what is put into its configuration, and where that is.

export interface AcpCommand {
  readonly command: string;
  readonly args: readonly string[];
}

interface EditorConfiguration {
  /** Said beside the text, so that the text alone can be piped into a file. */
  readonly where: string;
  readonly text: string;
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** A Lua string: what JSON escapes in a path or a flag, Lua escapes in the same way. */
const lua = (text: string): string => JSON.stringify(text);
const luaList = (words: readonly string[]): string => `{ ${words.map(lua).join(", ")} }`;
const lisp = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export const editors: Readonly<Record<"zed" | "jetbrains" | "neovim" | "emacs", (command: AcpCommand) => EditorConfiguration>> = {
  zed: ({ command, args }) => ({
    where: 'for settings.json of Zed (command "zed: open settings file")',
    text: json({ agent_servers: { Hawser: { type: "custom", command, args, env: {} } } }),
  }),
  jetbrains: ({ command, args }) => ({
    where: 'for ~/.jetbrains/acp.json (AI Chat, "Add Custom Agent")',
    text: json({ agent_servers: { Hawser: { command, args, env: {} } } }),
  }),
  neovim: (command) => ({
    where: "for init.lua of Neovim: take the part of the plugin that you use",
    text: `${toCodeCompanion(command)}\n${toAvante(command)}`,
  }),
  emacs: ({ command, args }) => ({
    where: "for init.el of Emacs, with the package agent-shell; M-x agent-shell-hawser-start starts it",
    text: `(require 'agent-shell)
(defun agent-shell-hawser-start ()
  "Start Hawser in an agent shell."
  (interactive)
  (agent-shell-start
   :config (agent-shell-make-agent-config
            :identifier 'hawser
            :mode-line-name "Hawser"
            :buffer-name "Hawser"
            :shell-prompt "Hawser> "
            :shell-prompt-regexp "Hawser> "
            :client-maker (lambda (buffer)
                            (agent-shell--make-acp-client
                             :command ${lisp(command)}
                             :command-params '(${args.map(lisp).join(" ")})
                             :context-buffer buffer)))))
`,
  }),
};

/** It has no adapter without a vendor. That of opencode has no login and no variables of its own, so only names and the command differ. */
const toCodeCompanion = ({ command, args }: AcpCommand): string => `-- codecompanion.nvim
require("codecompanion").setup({
  adapters = {
    acp = {
      hawser = function()
        return require("codecompanion.adapters.acp").extend("opencode", {
          name = "hawser",
          formatted_name = "Hawser",
          commands = { default = ${luaList([command, ...args])} },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "hawser" } },
})
`;

/** Unless told otherwise, of the environment it hands on nothing but PATH, and it allows what it is asked without asking its user. */
const toAvante = ({ command, args }: AcpCommand): string => `-- avante.nvim
require("avante").setup({
  provider = "hawser",
  acp_providers = {
    hawser = { command = ${lua(command)}, args = ${luaList(args)}, env = vim.fn.environ() },
  },
  behaviour = { auto_approve_tool_permissions = false },
})
`;
