// `gateway` and `scan`, as help shows them: a demo of a gateway, and calls of fixed paths.

import type { Command } from "commander";
import { addFixedCallOptions, dryRunText } from "../call/command.ts";
import type { CallFlags } from "../call/item.ts";
import { addCommand, maxPort, parseWhole } from "../command-line/command.ts";
import type { DemoFlags } from "./run.ts";

const runCall = async (flags: CallFlags): Promise<void> => (await import("../call/run.ts")).runCall(flags);

export function addGateway(program: Command): void {
  const gateway = addCommand(program, "gateway", {
    summary: "the gateway itself, and a demo of one",
    description: "Calls about the gateway itself.",
    examples: ["hawser gateway demo", "hawser gateway info --demo"],
  });
  const info = addCommand(gateway, "info", {
    description: "Says what the gateway is: call --path /data/api/v1/gateway-info.",
    examples: ["hawser gateway info --demo"],
  });
  addFixedCallOptions(info).action((flags: CallFlags) => runCall({ ...flags, path: "/data/api/v1/gateway-info" }));
  addCommand(gateway, "demo", {
    description: "Serves a small API on this machine, with its OpenAPI document, to try every command on. Ends with Ctrl-C.",
    examples: ["hawser gateway demo", "hawser gateway demo --port 8088"],
  })
    .option("--port <n>", "(default: a free one)", parseWhole(1, maxPort))
    .option("--json", "print address and token as JSON")
    .action(async (flags: DemoFlags) => (await import("./run.ts")).runDemo(flags));

  const examples = ["hawser scan projects --demo --yes"];
  const scan = addCommand(program, "scan", {
    summary: "have the gateway scan its folders",
    description: "Has the gateway scan its folders.",
    examples,
  });
  const projects = addCommand(scan, "projects", {
    description: "Scans the projects: call --method POST --path /data/api/v1/scan/projects.",
    examples,
  });
  addFixedCallOptions(projects)
    .option("--yes", "confirm it; needed")
    .option("--dry-run", dryRunText)
    .action((flags: CallFlags) => runCall({ ...flags, method: "POST", path: "/data/api/v1/scan/projects" }));
}
