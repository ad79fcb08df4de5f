// A prompt's content as a message of ours. Text stays text; a text resource is put into the message with its address, a link
// is named; an image becomes a private file that is attached, since the agent protocol attaches files.

import type { ContentBlock } from "@agentclientprotocol/sdk";
import type { AgentMessage } from "@hawser/agent/host/link";
import { HawserError } from "@hawser/protocol";
import { acpLimits } from "../limits.ts";
import type { Images } from "./images.ts";

/** Throws `invalid_message` for what was not offered; no image is kept then. */
export async function toMessage(blocks: readonly ContentBlock[], images: Images): Promise<AgentMessage> {
  if (blocks.length > acpLimits.acpPromptEntries)
    throw new HawserError("too_large", `a prompt of ${blocks.length} parts; at most ${acpLimits.acpPromptEntries} are possible`);
  const texts = blocks.flatMap((block) => (block.type === "image" ? [] : [toText(block)]));
  const attachments: { path: string; mime: string }[] = [];
  for (const block of blocks) if (block.type === "image") attachments.push({ path: await images.save(block.data), mime: block.mimeType });
  return { message: texts.filter((text) => text !== "").join("\n\n"), ...(attachments.length > 0 && { attachments }) };
}

function toText(block: Exclude<ContentBlock, { type: "image" }>): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})`;
    case "resource": {
      const { resource } = block;
      if (!("text" in resource)) throw new HawserError("invalid_message", `${resource.uri} is not text, and can't be part of a prompt`);
      return `${resource.uri}:\n\n${fenced(resource.text)}`;
    }
    default:
      throw new HawserError("invalid_message", `a prompt can't hold ${block.type}: it was not offered`);
  }
}

/** No line of the text can end the block. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/^`{3,}/gm), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
