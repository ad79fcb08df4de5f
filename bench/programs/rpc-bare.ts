// The least that can serve calls on stdin and stdout: lines, JSON and the gateway's own HTTP client,
// without a queue, a check, a deadline or a limit. Arguments: the API's address and the number of workers.

import { createInterface } from "node:readline";
import { createBareCaller } from "../peers/bare-caller.ts";

const [url = "", workers = "1"] = process.argv.slice(2);
const call = createBareCaller(url, Number(workers));

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, args } = JSON.parse(line) as { id: number; args: { path: string } };
    void call(args.path).then((body) =>
      process.stdout.write(`${JSON.stringify({ id, ok: true, code: 0, data: { response: { body } } })}\n`),
    );
  })
  .once("close", () => process.exit(0));
