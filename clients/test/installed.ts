// Where the clients and agents of others are installed. HAWSER_CLIENTS names another folder than the one of this checkout.

import { join } from "node:path";

const folder = process.env["HAWSER_CLIENTS"] || join(import.meta.dirname, "..", "..", "node_modules", ".cache", "hawser-clients");

/** Their packages. */
export const installed = join(folder, "node_modules");

/** Packages of Python. */
export const pythonPackages = join(folder, "python");
