// `api`, as help shows it: what the API document holds, and the document itself.

import type { Command } from "commander";
import { addOutputOptions, addSpecOption, addTargetOptions } from "../api-target/flags.ts";
import { addCommand } from "../command-line/command.ts";
import type { ApiFlags } from "./run.ts";

const runners = () => import("./run.ts");

const listings = [
  ["list", "Lists the operations.", "runApiList", ["hawser api list --demo", "hawser api list --path-contains logs --json"]],
  ["tags", "Lists the tags of the operations.", "runApiTags", ["hawser api tags --demo"]],
  ["stats", "Counts operations by method, tag and path.", "runApiStats", ["hawser api stats --demo"]],
] as const;

export function addApi(program: Command): void {
  const api = addCommand(program, "api", {
    summary: "look into the API's document",
    description:
      "What the API's OpenAPI document holds. It comes from a file, or from the gateway or an address of its own, and is then kept for a day.",
    examples: ["hawser api list --demo", "hawser api show /data/api/v1/logs --demo", "hawser api search tag --demo"],
  });
  const addPart = (name: string, description: string, examples: readonly string[]): Command =>
    addOutputOptions(addTargetOptions(addSpecOption(addCommand(api, name, { description, examples }))));

  for (const [name, description, runner, examples] of listings)
    addPart(name, description, examples)
      .option("--path-contains <text>", "only paths that hold this text")
      .option("--method <method>", "only this method")
      .action(async (flags: ApiFlags) => (await runners())[runner](flags));
  addPart(
    "show",
    "Shows the operations of one path, or the one of an id, with their parameters and bodies: types, allowed values, fields.",
    ["hawser api show /data/api/v1/logs --demo", "hawser api show listLogs --demo"],
  )
    .argument("[path]", "as the document writes it, or an operation id")
    .option("--path <path>", "the same as an option")
    .option("--method <method>", "only this method")
    .action(async (path: string | undefined, flags: ApiFlags) => (await runners()).runApiShow(path, flags));
  addPart("search", "Finds operations by words in id, path, summary and tags.", ["hawser api search tag --demo"])
    .argument("[query]", "one or more words")
    .option("--query <words>", "the same as an option")
    .option("--method <method>", "only this method")
    .action(async (query: string | undefined, flags: ApiFlags) => (await runners()).runApiSearch(query, flags));
  addPart("sync", "Fetches the document from the gateway, or from its address, and keeps it.", ["hawser api sync --demo"]).action(
    async (flags: ApiFlags) => (await runners()).runApiSync(flags),
  );
  addPart("validate", "Checks the document against the specification. Exit code 1: it does not follow it.", [
    "hawser api validate openapi.yaml",
    "hawser api validate --demo",
  ])
    .argument("[file]", "the document, a file or an address (default: the one that the other commands use)")
    .action(async (file: string | undefined, flags: ApiFlags) => (await runners()).runApiValidate(file, flags));
}
