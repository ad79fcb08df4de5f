// Every protocol that has a definition, in the order of their documentation.

import { agentProtocol, bridgeProtocol, echoProtocol, rpcProtocol } from "../../packages/protocol/src/index.ts";

export const protocols = [bridgeProtocol, rpcProtocol, agentProtocol, echoProtocol];
