// What `npm start` runs: the shell with the demo API and the example tools. Which model answers is not said here, so
// that one with a key, or a local server, is taken before the offline one.

export const demoShell = ["packages/hawser/bin/hawser.cjs", "shell", "--demo", "--tools", "examples/tools.ts"];
