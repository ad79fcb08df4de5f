// Targets and operations that the tests of requests share.

import type { CallItem } from "@hawser/protocol";
import type { Target } from "../../src/config/target.ts";
import type { OperationDescription, Parameter, ParameterPlace } from "../../src/openapi/operation.ts";
import { buildRequest } from "../../src/request/build-request.ts";

export const target: Target = {
  baseUrl: new URL("http://127.0.0.1:8088"),
  auth: { kind: "header", header: "X-Ignition-API-Token", prefix: "" },
};

export const targetBelowPath: Target = { ...target, baseUrl: new URL("http://127.0.0.1:8088/base/path/") };

export function parameter(name: string, place: ParameterPlace, more: Partial<Parameter> = {}): Parameter {
  const style = more.style ?? (place === "query" || place === "cookie" ? "form" : "simple");
  return { name, in: place, required: place === "path", style, explode: style === "form", allowReserved: false, schema: {}, ...more };
}

export function operation(more: Partial<OperationDescription> = {}): OperationDescription {
  return { method: "GET", path: "/things", operationId: "things", tags: [], parameters: [], security: [], definitions: {}, ...more };
}

/** What was built, as plain values. */
export function built(item: CallItem, described?: OperationDescription, to: Target = target) {
  const request = buildRequest(item, described, to);
  return { method: request.method, url: request.url, headers: request.headers, body: request.body };
}
