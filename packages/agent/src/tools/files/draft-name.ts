// Names of files in the making, which lie beside the file that they will replace: nothing shows, searches or keeps them.

import { randomUUID } from "node:crypto";

const draftPattern = /^\.hawser-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

export const isDraft = (name: string): boolean => name.startsWith(".hawser-") && draftPattern.test(name);

/** `id`: a UUID. */
export const toDraftName = (id: string = randomUUID()): string => `.hawser-${id}.tmp`;
