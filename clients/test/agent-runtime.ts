// `hawser agent` with a real ACP agent behind it, whose model is scripted: in folders of its own, and with a look at the processes
// that the agent starts.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyAgentResponse } from "@hawser/protocol";
import { makeHome, openRuntime, type Runtime } from "../../packages/acp/test/runtime-stage.ts";
import type { ScriptedServer } from "../../test/kit/models/scripted-server.ts";
import { placeAgent, type RealAgent } from "./real-agents.ts";
import { startEndpoint } from "./scripted-endpoint.ts";

const tools = join(import.meta.dirname, "fixtures", "harbour-tools.ts");

export interface AgentRuntime {
  readonly endpoint: ScriptedServer;
  /** The one that runs now. */
  readonly runtime: Runtime;
  /** The folder that the agent works in. */
  readonly work: string;
  /** Sends a message and answers everything that is asked; all that came until its end. */
  say(message: string, decision?: "allow" | "deny", conversationId?: string): Promise<readonly AnyAgentResponse[]>;
  /** Sends a message; its id, once the first piece of the answer has come. */
  begin(message: string, conversationId?: string): Promise<string>;
  /** Ends the runtime and starts it anew. */
  restart(): Promise<void>;
  /** The processes of the agent, those that were started first before what they have started. */
  processes(): readonly number[];
  close(): Promise<void>;
}

export async function openAgentRuntime(agent: RealAgent): Promise<AgentRuntime> {
  const endpoint = await startEndpoint(agent.scenes);
  const home = makeHome();
  const start = placeAgent(agent, join(home, "agent"), endpoint.url);
  const open = () => openRuntime({ home, agents: { [agent.name]: start }, args: [`--tools=${tools}`], env: withoutOthers() });
  let runtime = await open();
  return {
    endpoint,
    get runtime() {
      return runtime;
    },
    work: join(home, "work"),
    say: (message, decision = "allow", conversationId = "one") => answerAll(runtime, runtime.begin(message, conversationId), decision),
    async begin(message, conversationId = "one") {
      const id = runtime.begin(message, conversationId);
      const first = await runtime.next((response) => "id" in response && response.id === id && begins.has(response.type));
      if (first.type === "error") throw new Error(first.error);
      return id;
    },
    async restart() {
      await runtime.close();
      runtime = await open();
    },
    processes: () => processesOf(join(home, "agent")),
    async close() {
      await runtime.close();
      await endpoint.close();
    },
  };
}

const begins: ReadonlySet<string> = new Set(["token", "error"]);

/** Agents read many variables, and what they do must not depend on those of this machine. */
function withoutOthers(): NodeJS.ProcessEnv {
  const others = Object.keys(process.env).filter((name) => !["PATH", "TMPDIR", "NODE_COMPILE_CACHE"].includes(name));
  return Object.fromEntries(others.map((name) => [name, undefined]));
}

async function answerAll(runtime: Runtime, id: string, decision: "allow" | "deny"): Promise<readonly AnyAgentResponse[]> {
  const answered = new Set<string>();
  for (;;) {
    const isNew = (each: AnyAgentResponse): boolean => each.type === "permission_request" && !answered.has(each.data.permissionId);
    const said = await runtime.until(() => runtime.of(id).find((each) => each.type === "done" || each.type === "error" || isNew(each)));
    if (said.type !== "permission_request") return runtime.of(id);
    answered.add(said.data.permissionId);
    await runtime.ask({ kind: "permission_response", permissionId: said.data.permissionId, decision });
  }
}

/** Those with this home, in the order in which they were started: numbers begin anew when all were used. */
export function processesOf(home: string): number[] {
  const startOf = (pid: string): number | undefined => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const isOfIt = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`);
      return isOfIt && !/[ZX]/.test(state) ? Number(fields[startField]) : undefined;
    } catch {
      return undefined;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const at = startOf(name);
      return at === undefined ? [] : [{ pid: Number(name), at }];
    })
    .toSorted((a, b) => a.at - b.at || a.pid - b.pid)
    .map(({ pid }) => pid);
}

/** When it was started, counted behind the state. */
const startField = 18;
