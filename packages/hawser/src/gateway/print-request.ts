// `--print-request`: the request that a call would make, as text or JSON, with the token taken out. Nothing is sent.

import { loadApiIndex, previewRequest, type RequestPreview } from "@hawser/gateway";
import { printTo } from "../terminal.ts";
import { toCallItem, type CallItemFlags } from "./call-item.ts";
import { printJson, type JsonOutput, type OutputFlags } from "./json-output.ts";
import { withTarget, type CoreFlags } from "./with-core.ts";

export async function printRequest(flags: CallItemFlags & CoreFlags & OutputFlags, output: JsonOutput): Promise<void> {
  const item = await toCallItem(flags);
  const preview = await withTarget(flags, (options) =>
    // The demo is in this process: nobody else is asked for its document.
    previewRequest(item, options, flags.demo && (() => loadApiIndex(options))),
  );
  if (flags.json) printJson({ ...preview, headers: Object.fromEntries(groupHeaders(preview)) }, output);
  else printTo(process.stdout, toText(preview));
}

const groupHeaders = ({ headers }: RequestPreview): [string, string[]][] =>
  [...Map.groupBy(headers, ([name]) => name.toLowerCase())].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]);

function toText({ method, url, headers, body = "", bodyEncoding }: RequestPreview): string {
  const lines = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const shown = bodyEncoding === undefined ? body : `[${Buffer.from(body, "base64").length} bytes that are no text; --json shows them]`;
  return `${[...lines, ...(shown === "" ? [] : ["", shown])].join("\n")}\n`;
}
