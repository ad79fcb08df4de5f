// The OpenAPI document of the demo API: small, but with everything that a gateway's document has, so
// that every command can be tried on it. It says what `routes.ts` does; a test compares the two.

const json = (schema: object): object => ({ "application/json": { schema } });
const ok = (schema: object): object => ({
  "200": { description: "It worked.", content: json(schema) },
  "401": { $ref: "#/components/responses/Denied" },
});
const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string): object => ({
  type: "object",
  required: ["total", "items"],
  properties: { total: { type: "integer" }, items: { type: "array", items: reference(name) } },
});
const query = (name: string, description: string, schema: object): object => ({ name, in: "query", description, schema });

const tagName = {
  name: "name",
  in: "path",
  required: true,
  description: "The tag's name; it may hold slashes, which are then written as %2F.",
  schema: { type: "string", maxLength: 200 },
};
const dryRun = query("dryRun", "Says what would be done, and does nothing.", { type: "boolean", default: false });
const paging = [
  query("limit", "The most entries to return.", { type: "integer", minimum: 1, maximum: 100, default: 20 }),
  query("offset", "How many entries to skip first.", { type: "integer", minimum: 0, default: 0 }),
];

const schemas = {
  GatewayInfo: {
    type: "object",
    properties: { name: { type: "string" }, version: { type: "string" }, state: { type: "string" }, uptimeMs: { type: "integer" } },
  },
  LogEntry: {
    type: "object",
    properties: {
      id: { type: "integer" },
      time: { type: "string", format: "date-time" },
      level: { $ref: "#/components/schemas/Level" },
      logger: { type: "string" },
      message: { type: "string" },
    },
  },
  Level: { type: "string", enum: ["DEBUG", "INFO", "WARN", "ERROR"] },
  Tag: { type: "object", required: ["name", "value"], properties: { name: { type: "string" }, value: {}, quality: { type: "string" } } },
  Scan: { type: "object", properties: { dryRun: { type: "boolean" }, projects: { type: "integer" }, scans: { type: "integer" } } },
  Failure: { type: "object", required: ["error"], properties: { error: { type: "string" } } },
};

/** `answer` is the schema of a good one; everything else of `rest` stands in the document as it is. */
function operation(operationId: string, summary: string, tag: string, rest: { answer: object; [member: string]: object }): object {
  const { answer, ...others } = rest;
  return { operationId, summary, tags: [tag], ...others, responses: ok(answer) };
}

const tagBody = { required: true, content: json({ type: "object", required: ["value"], properties: { value: {} } }) };
const failStatus = query("status", "The status to answer with.", { type: "integer", minimum: 400, maximum: 599, default: 500 });
const waitMs = query("ms", "How long to wait, in milliseconds.", { type: "integer", minimum: 0, maximum: 60_000, default: 1_000 });
const tagPrefix = query("prefix", "Only tags whose name begins so.", { type: "string" });
const logFilters = [
  query("level", "Only entries of this level.", reference("Level")),
  query("text", "Only entries whose message holds this text.", { type: "string" }),
];

/** OpenAPI 3.1; its one server is the demo's own address. */
export const demoDocument = (url: string): object => ({
  openapi: "3.1.0",
  info: { title: "Demo gateway", version: "1.0.0", description: "A small API on this machine, to try every command on." },
  servers: [{ url }],
  security: [{ apiToken: [] }],
  paths: {
    "/data/api/v1/gateway-info": {
      get: operation("gatewayInfo", "Says what this gateway is", "gateway", { answer: reference("GatewayInfo") }),
    },
    "/data/api/v1/logs": {
      get: operation("listLogs", "Lists log entries, newest first", "logs", {
        parameters: [...paging, ...logFilters],
        answer: listOf("LogEntry"),
      }),
    },
    "/data/api/v1/tags": {
      get: operation("listTags", "Lists tags", "tags", { parameters: [tagPrefix, ...paging], answer: listOf("Tag") }),
    },
    "/data/api/v1/tags/{name}": {
      parameters: [tagName],
      get: operation("readTag", "Reads one tag", "tags", { answer: reference("Tag") }),
      put: operation("writeTag", "Writes one tag", "tags", { parameters: [dryRun], requestBody: tagBody, answer: reference("Tag") }),
    },
    "/data/api/v1/scan/projects": {
      post: operation("scanProjects", "Scans the project folder", "scan", { parameters: [dryRun], answer: reference("Scan") }),
    },
    "/data/api/v1/slow": {
      get: operation("slow", "Answers after a while", "diagnostics", {
        parameters: [waitMs],
        answer: { type: "object", properties: { waitedMs: { type: "integer" } } },
      }),
    },
    "/data/api/v1/fail": {
      get: {
        ...operation("fail", "Fails with a status of your choice", "diagnostics", { parameters: [failStatus], answer: {} }),
        responses: { default: { description: "The failure.", content: json(reference("Failure")) } },
      },
    },
  },
  components: {
    securitySchemes: { apiToken: { type: "apiKey", in: "header", name: "X-Ignition-API-Token" } },
    responses: { Denied: { description: "The token is missing or wrong.", content: json(reference("Failure")) } },
    schemas,
  },
});
