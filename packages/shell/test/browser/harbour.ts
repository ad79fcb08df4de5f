// The project that the pictures of the documentation show: a small harbour.

export const harbour = {
  "README.md":
    "# Harbour log\n\nArrivals, berths and tides of a small harbour, from the command line.\n\nRun `npm test` before you push.\n",
  "package.json": '{ "name": "harbour-log", "version": "2.3.0", "type": "module" }\n',
  "src/arrivals.ts":
    'import { berthFor } from "./berths.ts";\n\nexport function arrive(ship: Ship, tide: Tide): Berth | undefined {\n  return berthFor(ship.draught, tide.depth);\n}\n',
  "src/berths.ts":
    "export function berthFor(draught: number, depth: number): Berth | undefined {\n  return berths.find((berth) => berth.depth + depth > draught);\n}\n",
  "src/tides.ts": "export const highTide = { hours: 6.2, depth: 3.4 };\n",
  "test/berths.test.ts": 'it("finds a berth that is deep enough", () => {});\n',
};
