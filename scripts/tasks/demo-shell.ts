// What `npm start` runs: the shell with the demo API and the example tools. Which model answers is not said here, so
// that one with a key, or a local server, is taken before the offline one.

export const demoShell = ["packages/hawser/bin/hawser.cjs", "shell", "--demo", "--tools", "examples/tools.ts"];

/** Before the help of what is run, which knows nothing of `npm start`; undefined where no help is asked for. */
export const describeStart = (args: readonly string[]): string | undefined =>
  args.some((word) => word === "--help" || word === "-h")
    ? `\`npm start -- <options>\` runs: npx hawser ${demoShell.slice(1).join(" ")} <options>. Its help:`
    : undefined;
