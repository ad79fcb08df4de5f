// Every protocol that has a definition, in the order of their documentation.

import { bridgeProtocol, echoProtocol } from "../../packages/wire/src/index.ts";

export const protocols = [bridgeProtocol, echoProtocol];
