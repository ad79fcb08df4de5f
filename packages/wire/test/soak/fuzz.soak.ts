// The fuzzer for as long as one likes, with a new seed each time unless one is given.
//   node --conditions=hawser-source packages/wire/test/soak/fuzz.soak.ts [frames] [seed]

import { fuzz } from "../fuzz.ts";
import { runIfStarted } from "./run-soak.ts";

await runIfStarted(import.meta.url, {
  name: "fuzz",
  unit: "frames",
  defaultCount: 1_000_000,
  async run(rounds, onProgress) {
    const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 31));
    process.stdout.write(`fuzz: seed ${seed}\n`);
    const { frames, answers, settled } = await fuzz({ seed, rounds, onProgress });
    return `${frames} frames, ${answers} answers, ${settled} waits settled`;
  },
});
