// Swagger 2.0 and OpenAPI 3.0 to 3.1. The step to 3.1 goes piece by piece, so that calls that run
// meanwhile are not held up by a large document.

import { setImmediate } from "node:timers/promises";
import { isObject, type JsonObject } from "./json-object.ts";

type Upgrade = (document: Record<string, unknown>, version: "3.0" | "3.1") => unknown;

const entriesPerPiece = 40;

/** May change the document that it is given. */
export async function upgradeDocument(document: JsonObject): Promise<JsonObject> {
  if (String(document.openapi).startsWith("3.1")) return document;
  const { upgrade } = (await import("@scalar/openapi-upgrader")) as unknown as { upgrade: Upgrade };
  const old = upgrade(document as Record<string, unknown>, "3.0") as JsonObject;
  const upgraded: Record<string, unknown> = { ...old, openapi: "3.1.1" };
  if (isObject(old.paths)) upgraded.paths = await inPieces(old.paths, (paths) => pieceOf(upgrade, { paths }).paths);
  if (isObject(old.components)) {
    const sections: [string, unknown][] = [];
    for (const [name, section] of Object.entries(old.components)) {
      const toSection = (piece: JsonObject) => (pieceOf(upgrade, { components: { [name]: piece } }).components as JsonObject)[name];
      sections.push([name, isObject(section) ? await inPieces(section, toSection) : section]);
    }
    upgraded.components = Object.fromEntries(sections);
  }
  return upgraded;
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
