// `api`, as help shows it: what the API document holds, and the document itself.

import type { Command } from "commander";
import { addOutputOptions, addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand, type CommandHelp } from "../command-line/command.ts";
import type { ApiFlags } from "./run.ts";

const runners = () => import("./run.ts");
const documentRunners = () => import("./document.ts");

export function addApi(program: Command): void {
  const api = addCommand(program, "api", {
    summary: "look into the API's document",
    description:
      "What the API's OpenAPI document holds. It comes from a file, or from the gateway or an address of its own, and is then kept for a day.",
    examples: ["hawser api list --demo", "hawser api show /data/api/v1/logs --demo", "hawser api search tag --demo"],
  });
  addListings(api);
  addLookups(api);
  addPart(api, "sync", {
    description: "Fetches the document from the gateway, or from its address, and keeps it.",
    examples: ["hawser api sync --demo"],
  }).action(async (flags: ApiFlags) => (await documentRunners()).runApiSync(flags));
  addPart(api, "validate", {
    description: "Checks the document against the specification. Exit code 1: it does not follow it.",
    examples: ["hawser api validate openapi.yaml", "hawser api validate --demo"],
  })
    .argument("[file]", "the document, a file or an address (default: the one that the other commands use)")
    .action(async (file: string | undefined, flags: ApiFlags) => (await documentRunners()).runApiValidate(file, flags));
}

function addPart(api: Command, name: string, help: CommandHelp): Command {
  return addOutputOptions(addTargetOptions(addSpecOption(addCommand(api, name, help))));
}

function addListings(api: Command): void {
  const listings = [
    ["list", "Lists the operations.", "runApiList", ["hawser api list --demo", "hawser api list --path-contains logs --json"]],
    ["tags", "Lists the tags of the operations.", "runApiTags", ["hawser api tags --demo"]],
    ["stats", "Counts operations by method, tag and path.", "runApiStats", ["hawser api stats --demo"]],
  ] as const;
  for (const [name, description, runner, examples] of listings)
    addPart(api, name, { description, examples })
      .option("--path-contains <text>", "only paths that hold this text")
      .option("--method <method>", "only this method")
      .action(async (flags: ApiFlags) => (await runners())[runner](flags));
}

function addLookups(api: Command): void {
  addPart(api, "show", {
    description: "Shows the operations of one path, or the one of an id, with their parameters and bodies: types, allowed values, fields.",
    examples: ["hawser api show /data/api/v1/logs --demo", "hawser api show listLogs --demo"],
  })
    .argument("[path]", "as the document writes it, or an operation id")
    .option("--path <path>", "the same as an option")
    .option("--method <method>", "only this method")
    .action(async (path: string | undefined, flags: ApiFlags) => (await runners()).runApiShow(path, flags));
  addPart(api, "search", {
    description: "Finds operations by words in id, path, summary and tags.",
    examples: ["hawser api search tag --demo"],
  })
    .argument("[query]", "one or more words")
    .option("--query <words>", "the same as an option")
    .option("--method <method>", "only this method")
    .action(async (query: string | undefined, flags: ApiFlags) => (await runners()).runApiSearch(query, flags));
}
