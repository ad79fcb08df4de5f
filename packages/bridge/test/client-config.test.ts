// The configuration in each client's own words, letter for letter: it is pasted by people and read by
// programs that we don't control.

import { execFileSync } from "node:child_process";
import { describe, expect, it as plainIt } from "vitest";
import { printClientConfig, toClientCommand, type ClientName } from "../src/parent/client-config.ts";
import { itWithPython } from "./fixtures/parent-it.ts";

const config = { type: "stdio", command: "/usr/bin/node", args: ["/opt/bridge.cjs", "/tmp/a.sock", "/tmp/a.json"] } as const;
const withEnv = { ...config, env: { ELECTRON_RUN_AS_NODE: "1" } };
// A path may have anything in it but NUL.
const odd = "C:\\a \"b\" 'c' $HOME `x` #é漢😀\t\n\u0001\u007f\u2028";
const oddConfig = { type: "stdio", command: odd, args: [odd, ""], env: { "A.B C": odd } } as const;

const expected: [ClientName, string][] = [
  [
    "claude",
    `{
  "mcpServers": {
    "my-tools": {
      "type": "stdio",
      "command": "/usr/bin/node",
      "args": [
        "/opt/bridge.cjs",
        "/tmp/a.sock",
        "/tmp/a.json"
      ]
    }
  }
}
`,
  ],
  [
    "codex",
    `[mcp_servers.my-tools]
command = "/usr/bin/node"
args = ["/opt/bridge.cjs", "/tmp/a.sock", "/tmp/a.json"]
`,
  ],
  [
    "gemini",
    `{
  "mcpServers": {
    "my-tools": {
      "command": "/usr/bin/node",
      "args": [
        "/opt/bridge.cjs",
        "/tmp/a.sock",
        "/tmp/a.json"
      ]
    }
  }
}
`,
  ],
  [
    "opencode",
    `{
  "mcp": {
    "my-tools": {
      "type": "local",
      "command": [
        "/usr/bin/node",
        "/opt/bridge.cjs",
        "/tmp/a.sock",
        "/tmp/a.json"
      ]
    }
  }
}
`,
  ],
  [
    "json",
    `{
  "type": "stdio",
  "command": "/usr/bin/node",
  "args": [
    "/opt/bridge.cjs",
    "/tmp/a.sock",
    "/tmp/a.json"
  ]
}
`,
  ],
];

describe("R60 printClientConfig", () => {
  plainIt.each(expected)("R60 prints for %s exactly this", (client, text) => {
    expect(printClientConfig(client, "my-tools", config)).toBe(text);
  });

  plainIt("H15 prints an environment where there is one", () => {
    const parse = (client: ClientName): unknown => JSON.parse(printClientConfig(client, "t", withEnv));
    expect(parse("claude")).toEqual({ mcpServers: { t: withEnv } });
    expect(parse("gemini")).toEqual({ mcpServers: { t: { command: config.command, args: config.args, env: withEnv.env } } });
    expect(parse("opencode")).toEqual({
      mcp: { t: { type: "local", command: [config.command, ...config.args], environment: withEnv.env } },
    });
    expect(printClientConfig("codex", "t", withEnv).split("\n").at(-2)).toBe('env = { "ELECTRON_RUN_AS_NODE" = "1" }');
  });

  plainIt.each<[ClientName, (parsed: unknown) => unknown]>([
    ["claude", (parsed) => (parsed as { mcpServers: { t: unknown } }).mcpServers.t],
    ["json", (parsed) => parsed],
  ])("R60 special characters survive in %s", (client, pick) => {
    expect(pick(JSON.parse(printClientConfig(client, "t", oddConfig)))).toEqual(oddConfig);
  });

  itWithPython("R60 special characters survive in codex's TOML, as a TOML reader has it", () => {
    const script = "import sys, json, tomllib; json.dump(tomllib.loads(sys.stdin.buffer.read().decode()), sys.stdout)";
    const read = (toml: string): unknown => JSON.parse(execFileSync("python3", ["-c", script], { input: toml, encoding: "utf8" }));
    const settings = { command: odd, args: [odd, ""], env: { "A.B C": odd } };
    expect(read(printClientConfig("codex", "my_tools-1", oddConfig))).toEqual({ mcp_servers: { "my_tools-1": settings } });
    const { args = [] } = toClientCommand("codex", "my_tools-1", oddConfig) ?? {};
    const lines = args.filter((arg) => arg !== "-c").join("\n");
    expect(read(lines)).toEqual({ mcp_servers: { "my_tools-1": { ...settings, required: true } } });
  });

  plainIt.each(["", " ", "a b", "a.b", "ä", 'a"b', "a]", "../x", "a\n", "x".repeat(65)])("refuses the server name %j", (name) => {
    for (const print of [() => printClientConfig("claude", name, config), () => toClientCommand("claude", name, config)]) {
      expect(print).toThrow(
        expect.objectContaining({ code: "usage", message: expect.stringContaining("letters, digits, _ and -") as string }) as Error,
      );
    }
  });

  plainIt("takes the longest and the shortest server name", () => {
    for (const name of ["x".repeat(64), "-", "_", "0"]) expect(printClientConfig("json", name, config)).toContain("stdio");
  });
});

describe("R60 toClientCommand", () => {
  plainIt.each(["claude", "/opt/bin/claude", "claude.exe", "./claude.cmd", "claude.js", "claude.mjs"])(
    "adds the server to one run of %s",
    (program) => {
      const command = toClientCommand(program, "t", config);
      const servers = { mcpServers: { t: config } };
      expect(command).toEqual({ args: [`--mcp-config=${JSON.stringify(servers)}`], env: {} });
    },
  );

  plainIt("adds it to codex by settings, as a server that is waited for", () => {
    const settings = ['command="/usr/bin/node"', 'args=["/opt/bridge.cjs", "/tmp/a.sock", "/tmp/a.json"]', "required=true"];
    expect(toClientCommand("codex", "t", config)).toEqual({ args: settings.flatMap((text) => ["-c", `mcp_servers.t.${text}`]), env: {} });
    expect(toClientCommand("codex", "t", withEnv)?.args).toContain('mcp_servers.t.env={ "ELECTRON_RUN_AS_NODE" = "1" }');
  });

  plainIt("adds it to opencode by a file that OPENCODE_CONFIG names", () => {
    const file = printClientConfig("opencode", "t", withEnv);
    expect(toClientCommand("opencode", "t", withEnv)).toEqual({ args: [], env: { OPENCODE_CONFIG: "{file}" }, file });
  });

  plainIt("adds it to gemini by an extension in a home that shows the user's own", () => {
    const { file = "", ...rest } = toClientCommand("gemini", "t", withEnv) ?? {};
    const overlay = { of: ".gemini", path: ["extensions", "hawser", "gemini-extension.json"] };
    expect(rest).toEqual({ args: [], env: { GEMINI_CLI_HOME: "{home}" }, overlay });
    const settings = JSON.parse(printClientConfig("gemini", "t", withEnv)) as object;
    expect(JSON.parse(file)).toEqual({ name: "hawser", version: "1.0.0", ...settings });
  });

  plainIt.each(["vim", "claude-code", "", "/usr/bin/"])("does not know %j", (program) => {
    expect(toClientCommand(program, "t", config)).toBeUndefined();
  });
});
