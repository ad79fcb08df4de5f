// An app in its surroundings, with WebKit's driver behind Tauri's. The app is the one from the Debian package,
// with the runtime beside it.

import { createServer, type AddressInfo } from "node:net";
import { expect } from "vitest";
import { listProcesses, treeOf, type ProcessFacts } from "./process-tree.ts";
import { application, prepare, type Surroundings, type SurroundingsOptions } from "./surroundings.ts";
import { openSession, type WebDriver } from "./web-driver.ts";

export interface DesktopStage extends Surroundings {
  readonly driver: WebDriver;
  /** The app itself. */
  app(): ProcessFacts;
  /** The runtime that it has started. */
  runtime(): ProcessFacts | undefined;
  /** Starts the same app again, for the same user; resolves with its exit code. */
  startAgain(): Promise<number | null>;
  /** Starts it again, with a driver, after it has ended. */
  reopen(): Promise<WebDriver>;
}

interface DesktopOptions extends SurroundingsOptions {
  /** Of the app. */
  readonly args?: readonly string[];
  /** What else has to be there before the app is started. */
  prepared?(place: Surroundings): Promise<void>;
}

const driverProgram = process.env["HAWSER_DESKTOP_DRIVER"] ?? "tauri-driver";

export async function openDesktop({ args, prepared, ...options }: DesktopOptions = {}): Promise<DesktopStage> {
  const place = await prepare(options);
  const { env, start, log, [Symbol.asyncDispose]: endAll } = place;
  try {
    await prepared?.(place);
    const [port, nativePort] = [await freePort(), await freePort()];
    const driverProcess = start(driverProgram, ["--port", String(port), "--native-port", String(nativePort)], env);
    const reopen = (): Promise<WebDriver> => retry(() => openSession(`http://127.0.0.1:${port}`, application, args));
    const driver = await reopen();
    const own = (): ProcessFacts[] => treeOf(driverProcess.pid ?? 0);
    const app = (): ProcessFacts => own().find(({ program }) => program === application) ?? expect.fail(`the app does not run: ${log()}`);
    return {
      ...place,
      driver,
      app,
      runtime: () => listProcesses().find(({ parent, command }) => parent === app().pid && command.includes("hawser.cjs")),
      startAgain: () => new Promise((resolve) => start(application, [], env).once("close", resolve)),
      reopen,
      async [Symbol.asyncDispose]() {
        await driver.end().catch(() => {});
        await endAll();
      },
    };
  } catch (error) {
    await endAll();
    throw new Error(`${String(error)}\n${log()}`, { cause: error });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The two drivers take a moment until they listen. */
async function retry<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      if (attempt === 50 || (code !== "ECONNREFUSED" && code !== "UND_ERR_SOCKET")) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
