// How each editor is told to start an ACP agent: what a user pastes into its configuration, and where.

export interface AcpCommand {
  readonly command: string;
  readonly args: readonly string[];
}

type Printer = (command: AcpCommand) => string;

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** A Lua string; JSON's escapes are Lua's, but for Unicode, which needs none. */
const lua = (text: string): string => JSON.stringify(text);
const luaList = (words: readonly string[]): string => `{ ${words.map(lua).join(", ")} }`;
const lisp = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export const editors: Readonly<Record<"zed" | "jetbrains" | "neovim" | "emacs", Printer>> = {
  zed: ({ command, args }) => `// settings.json of Zed (command "zed: open settings file")
${json({ agent_servers: { Hawser: { type: "custom", command, args, env: {} } } })}
`,
  jetbrains: ({ command, args }) => `// ~/.jetbrains/acp.json (AI Chat, "Add Custom Agent")
${json({ agent_servers: { Hawser: { command, args, env: {} } } })}
`,
  neovim: ({ command, args }) => `-- CodeCompanion.nvim
require("codecompanion").setup({
  adapters = {
    acp = {
      hawser = function()
        return require("codecompanion.adapters.acp").extend("gemini_cli", {
          name = "hawser",
          formatted_name = "Hawser",
          commands = { default = ${luaList([command, ...args])} },
          defaults = { mcpServers = {}, timeout = 20000 },
          handlers = { auth = function() return true end },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "hawser" } },
})

-- or avante.nvim
require("avante").setup({
  provider = "hawser",
  acp_providers = { ["hawser"] = { command = ${lua(command)}, args = ${luaList(args)} } },
})
`,
  emacs: ({ command, args }) => `;; agent-shell
(require 'agent-shell)
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
};
