// The definition of `api`: what the API document holds, and the document itself.

import type { Command } from "commander";
import { addExamples } from "../command-parts.ts";
import type { ApiFlags } from "./api-index.ts";
import { addOutputOptions, addSpecOption, addTargetOptions } from "./flag-groups.ts";

const runners = () => import("./run-api.ts");
const documentRunners = () => import("./run-api-document.ts");

const withOptions = (command: Command): Command => addOutputOptions(addTargetOptions(addSpecOption(command)));

export function addApi(program: Command): Command {
  const api = program
    .command("api")
    .summary("look into the API's document")
    .description(
      "What the API's OpenAPI document holds. It comes from a file, or from the gateway or an address of its own, and is then kept for a day.",
    );
  addListings(api);
  addLookups(api);
  const sync = withOptions(api.command("sync").description("Fetches the document from the gateway, or from its address, and keeps it."));
  sync.action(async (flags: ApiFlags) => (await documentRunners()).runApiSync(flags));
  addExamples(sync, ["hawser api sync --demo"]);
  const validate = api
    .command("validate")
    .description("Checks the document against the specification. Exit code 1: it does not follow it.");
  withOptions(validate.argument("[file]", "the document, a file or an address (default: the one that the other commands use)")).action(
    async (file: string | undefined, flags: ApiFlags) => (await documentRunners()).runApiValidate(file, flags),
  );
  addExamples(validate, ["hawser api validate openapi.yaml", "hawser api validate --demo"]);
  addExamples(api, ["hawser api list --demo", "hawser api show /data/api/v1/logs --demo", "hawser api search tag --demo"]);
  return api;
}

function addListings(api: Command): void {
  const list = withOptions(api.command("list").description("Lists the operations."));
  addFilters(list).action(async (flags: ApiFlags) => (await runners()).runApiList(flags));
  addExamples(list, ["hawser api list --demo", "hawser api list --path-contains logs --json"]);
  const tags = withOptions(api.command("tags").description("Lists the tags of the operations."));
  addFilters(tags).action(async (flags: ApiFlags) => (await runners()).runApiTags(flags));
  addExamples(tags, ["hawser api tags --demo"]);
  const stats = withOptions(api.command("stats").description("Counts operations by method, tag and path."));
  addFilters(stats).action(async (flags: ApiFlags) => (await runners()).runApiStats(flags));
  addExamples(stats, ["hawser api stats --demo"]);
}

function addLookups(api: Command): void {
  const show = api
    .command("show")
    .description("Shows the operations of one path, or the one of an id, with their parameters and bodies: types, allowed values, fields.")
    .argument("[path]", "as the document writes it, or an operation id");
  withOptions(show)
    .option("--path <path>", "the same as an option")
    .option("--method <method>", "only this method")
    .action(async (path: string | undefined, flags: ApiFlags) => (await runners()).runApiShow(path, flags));
  addExamples(show, ["hawser api show /data/api/v1/logs --demo", "hawser api show listLogs --demo"]);
  const search = api
    .command("search")
    .description("Finds operations by words in id, path, summary and tags.")
    .argument("[query]", "one or more words");
  withOptions(search)
    .option("--query <words>", "the same as an option")
    .option("--method <method>", "only this method")
    .action(async (query: string | undefined, flags: ApiFlags) => (await runners()).runApiSearch(query, flags));
  addExamples(search, ["hawser api search tag --demo"]);
}

const addFilters = (command: Command): Command =>
  command.option("--path-contains <text>", "only paths that hold this text").option("--method <method>", "only this method");
