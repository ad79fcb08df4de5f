// `config`, as help shows it: where calls go when no flag and no variable says it.

import type { Command } from "commander";
import { addTokenOptions } from "../api-target/flags.ts";
import type { OutputFlags } from "../api-target/json-output.ts";
import { addCommand } from "../command-line/command.ts";
import type { ConfigSetFlags } from "./run.ts";

const runners = () => import("./run.ts");

export function addConfig(program: Command): void {
  const config = addCommand(program, "config", {
    summary: "addresses and tokens that are kept",
    description:
      "The configuration file, with profiles for several gateways. Flags and the environment go before it. Tokens are shown masked.",
    examples: ["hawser config set --gateway-url http://127.0.0.1:8088", "hawser config show"],
  });
  const set = addCommand(config, "set", {
    description: "Sets address, token or API document, of the file itself or of a profile.",
    examples: ["hawser config set --gateway-url http://127.0.0.1:8088", "hawser config set --api-key-stdin < token.txt"],
  });
  addValueOptions(set)
    .option("--profile <name>", "change this profile instead")
    .action(async (flags: ConfigSetFlags) => (await runners()).runConfigSet(flags));
  addCommand(config, "show", { description: "Shows what is kept.", examples: ["hawser config show --json"] })
    .option("--json", "print JSON")
    .action(async (flags: OutputFlags) => (await runners()).runConfigShow(flags));
  addProfile(config);
}

function addProfile(config: Command): void {
  const profile = addCommand(config, "profile", {
    summary: "several gateways",
    description: "Profiles: an address, a token and perhaps an API document each.",
    examples: ["hawser config profile list", "hawser config profile use plant"],
  });
  const add = addCommand(profile, "add", {
    description: "Adds a profile, or changes it. The first one becomes active.",
    examples: [
      "hawser config profile add plant --gateway-url http://plant:8088",
      "hawser config profile add pets --spec-file https://pets.example/api.json",
    ],
  });
  addValueOptions(add.argument("<name>"))
    .option("--use", "make it the active one")
    .action(async (name: string, flags: ConfigSetFlags) => (await runners()).runProfileAdd(name, flags));
  const named = [
    ["use", "Makes a profile the active one.", "runProfileUse"],
    ["remove", "Removes a profile.", "runProfileRemove"],
  ] as const;
  for (const [name, description, runner] of named)
    addCommand(profile, name, { description, examples: [`hawser config profile ${name} plant`] })
      .argument("<name>")
      .option("--json", "print JSON")
      .action(async (profileName: string, flags: OutputFlags) => (await runners())[runner](profileName, flags));
  addCommand(profile, "list", { description: "Lists the profiles.", examples: ["hawser config profile list"] })
    .option("--json", "print JSON")
    .action(async (flags: OutputFlags) => (await runners()).runProfileList(flags));
}

function addValueOptions(command: Command): Command {
  return addTokenOptions(command.option("--gateway-url <url>", "the gateway's address"))
    .option("--auth-header <name>", "the header that carries the token (default: X-Ignition-API-Token)")
    .option("--auth-prefix <text>", "put before the token, e.g. Bearer; a word is followed by a blank")
    .option("--auth-scheme <name>", "a security scheme of the API document that carries the token, instead")
    .option("--spec-file <file|url>", "the OpenAPI document of this API")
    .option("--json", "print JSON");
}
