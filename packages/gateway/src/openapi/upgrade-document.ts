// Swagger 2.0 and OpenAPI 3.0 to 3.1. The step to 3.1 goes piece by piece, so that calls that run
// meanwhile are not held up by a large document.

import { setImmediate } from "node:timers/promises";
import { isRecord, limits } from "@hawser/wire";
import type { JsonObject } from "./references.ts";

type Upgrade = (document: Record<string, unknown>, version: "3.0" | "3.1") => unknown;

const entriesPerPiece = 40;

/** What is 3.1 or 3.2 already is left as it is. May change the document that it is given. */
export async function upgradeDocument(document: JsonObject): Promise<JsonObject> {
  if (/^3\.[12]/.test(String(document.openapi))) return document;
  const { upgrade } = (await import("@scalar/openapi-upgrader")) as unknown as { upgrade: Upgrade };
  if (document.swagger !== undefined) cutMediaTypes(document);
  const old = upgrade(document as Record<string, unknown>, "3.0") as JsonObject;
  const upgraded: Record<string, unknown> = { ...old, openapi: "3.1.1" };
  if (isRecord(old.paths)) upgraded.paths = await inPieces(old.paths, (paths) => pieceOf(upgrade, { paths }).paths);
  if (isRecord(old.components)) {
    const sections: [string, unknown][] = [];
    for (const [name, section] of Object.entries(old.components)) {
      const toSection = (piece: JsonObject) => (pieceOf(upgrade, { components: { [name]: piece } }).components as JsonObject)[name];
      sections.push([name, isRecord(section) ? await inPieces(section, toSection) : section]);
    }
    upgraded.components = Object.fromEntries(sections);
  }
  return upgraded;
}

// Swagger 2 names them for all operations at once, and each operation gets all of them.
function cutMediaTypes(document: JsonObject): void {
  const pathItems = Object.values(isRecord(document.paths) ? document.paths : {}).filter(isRecord);
  const operations = pathItems.flatMap((pathItem) => Object.values(pathItem)).filter(isRecord);
  for (const { consumes, produces } of [document, ...operations]) {
    for (const list of [consumes, produces]) if (Array.isArray(list)) list.length = Math.min(list.length, limits.maxMediaTypeEntries);
  }
}

function pieceOf(upgrade: Upgrade, members: JsonObject): JsonObject {
  return upgrade({ openapi: "3.0.3", ...members }, "3.1") as JsonObject;
}

async function inPieces(whole: JsonObject, change: (piece: JsonObject) => unknown): Promise<JsonObject> {
  const entries = Object.entries(whole);
  const changed: [string, unknown][] = [];
  for (let from = 0; from < entries.length; from += entriesPerPiece) {
    const piece = Object.fromEntries(entries.slice(from, from + entriesPerPiece));
    changed.push(...Object.entries(change(piece) as JsonObject));
    await setImmediate();
  }
  return Object.fromEntries(changed);
}
