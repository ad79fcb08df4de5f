// Work that must be done before the process is gone: at a normal exit, process.exit, an uncaught error, and signals that have no
// other handler. Each cleanup is synchronous and runs at most once. Copies of this module (one bundled, one not) share one
// registry. SIGKILL and abort() run no code, nor does a worker thread that is ended from outside.

const fatalSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

interface Registry {
  readonly cleanups: Set<() => void>;
  uninstall: (() => void) | undefined;
}

const key = Symbol.for("hawser.process-end");
const host = process as unknown as Record<symbol, unknown>;
const registry = (host[key] ??= { cleanups: new Set(), uninstall: undefined }) as Registry;

/** Registers a cleanup; the returned function takes it back. */
export function onProcessEnd(cleanup: () => void): () => void {
  registry.uninstall ??= install();
  registry.cleanups.add(cleanup);
  return () => {
    if (registry.cleanups.delete(cleanup) && registry.cleanups.size === 0) uninstall();
  };
}

function runCleanups(): void {
  for (const cleanup of [...registry.cleanups]) {
    registry.cleanups.delete(cleanup);
    try {
      cleanup();
    } catch {
      // The others must still run, and no one is left to report to.
    }
  }
}

// A program with its own handler decides itself when to end, and then 'exit' reaches us. When only
// listeners that clean up are there, the signal would have ended the process: so it does, afterwards.
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1 + otherCleaners()) return;
  runCleanups();
  uninstall();
  process.kill(process.pid, signal);
}

// The signal-exit package (versions 4 and 3) does what we do and says here how often it listens.
function otherCleaners(): number {
  const emitters = [
    (globalThis as Record<symbol, unknown>)[Symbol.for("signal-exit emitter")],
    (process as { __signal_exit_emitter__?: unknown }).__signal_exit_emitter__,
  ];
  return emitters.reduce<number>((sum, emitter) => sum + ((emitter as { count?: number } | undefined)?.count ?? 0), 0);
}

function install(): () => void {
  process.on("exit", runCleanups);
  // In front: a program's `once` handler that ran before us would no longer be there to be counted.
  for (const signal of fatalSignals) process.prependListener(signal, onSignal);
  return () => {
    process.off("exit", runCleanups);
    for (const signal of fatalSignals) process.off(signal, onSignal);
  };
}

function uninstall(): void {
  registry.uninstall?.();
  registry.uninstall = undefined;
}
