// Every protocol that has a definition, in the order of their documentation.

import { echoProtocol } from "../../packages/wire/src/index.ts";

export const protocols = [echoProtocol];
