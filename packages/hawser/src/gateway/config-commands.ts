// The definition of `config`: where calls go when no flag and no variable says it.

import type { Command } from "commander";
import { addExamples } from "../command-parts.ts";
import { addTokenOptions } from "./flag-groups.ts";
import type { OutputFlags } from "./json-output.ts";
import type { ConfigSetFlags } from "./run-config.ts";

const runners = () => import("./run-config.ts");

export function addConfig(program: Command): void {
  const config = program
    .command("config")
    .summary("addresses and tokens that are kept")
    .description(
      "The configuration file, with profiles for several gateways. Flags and the environment go before it. Tokens are shown masked.",
    );
  const set = addValueOptions(
    config.command("set").description("Sets address, token or API document, of the file itself or of a profile."),
  );
  set
    .option("--profile <name>", "change this profile instead")
    .action(async (flags: ConfigSetFlags) => (await runners()).runConfigSet(flags));
  addExamples(set, ["hawser config set --gateway-url http://127.0.0.1:8088", "hawser config set --api-key-stdin < token.txt"]);
  const show = config.command("show").description("Shows what is kept.").option("--json", "print JSON");
  show.action(async (flags: OutputFlags) => (await runners()).runConfigShow(flags));
  addExamples(show, ["hawser config show --json"]);
  addProfile(config);
  addExamples(config, ["hawser config set --gateway-url http://127.0.0.1:8088", "hawser config show"]);
}

function addProfile(config: Command): void {
  const profile = config
    .command("profile")
    .summary("several gateways")
    .description("Profiles: an address, a token and perhaps an API document each.");
  const add = addValueOptions(profile.command("add").description("Adds a profile, or changes it. The first one becomes active."));
  add
    .argument("<name>")
    .option("--use", "make it the active one")
    .action(async (name: string, flags: ConfigSetFlags) => (await runners()).runProfileAdd(name, flags));
  addExamples(add, [
    "hawser config profile add plant --gateway-url http://plant:8088",
    "hawser config profile add pets --spec-file https://pets.example/api.json",
  ]);
  const named = [
    ["use", "Makes a profile the active one.", async (name: string, flags: OutputFlags) => (await runners()).runProfileUse(name, flags)],
    ["remove", "Removes a profile.", async (name: string, flags: OutputFlags) => (await runners()).runProfileRemove(name, flags)],
  ] as const;
  for (const [name, description, run] of named) {
    const command = profile.command(name).description(description).argument("<name>").option("--json", "print JSON").action(run);
    addExamples(command, [`hawser config profile ${name} plant`]);
  }
  const list = profile.command("list").description("Lists the profiles.").option("--json", "print JSON");
  list.action(async (flags: OutputFlags) => (await runners()).runProfileList(flags));
  addExamples(list, ["hawser config profile list"]);
  addExamples(profile, ["hawser config profile list", "hawser config profile use plant"]);
}

function addValueOptions(command: Command): Command {
  return addTokenOptions(command.option("--gateway-url <url>", "the gateway's address"))
    .option("--auth-header <name>", "the header that carries the token (default: X-Ignition-API-Token)")
    .option("--auth-prefix <text>", "put before the token, e.g. Bearer; a word is followed by a blank")
    .option("--auth-scheme <name>", "a security scheme of the API document that carries the token, instead")
    .option("--spec-file <file|url>", "the OpenAPI document of this API")
    .option("--json", "print JSON");
}
