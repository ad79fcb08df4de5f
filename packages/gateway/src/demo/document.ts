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
  query("limit", "At most so many entries.", { type: "integer", minimum: 1, maximum: 100, default: 20 }),
  query("offset", "Leaves out so many entries first.", { type: "integer", minimum: 0, default: 0 }),
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

const tagPaths = {
  "/data/api/v1/tags": {
    get: {
      operationId: "listTags",
      summary: "Lists tags",
      tags: ["tags"],
      parameters: [query("prefix", "Only tags whose name begins so.", { type: "string" }), ...paging],
      responses: ok(listOf("Tag")),
    },
  },
  "/data/api/v1/tags/{name}": {
    parameters: [tagName],
    get: { operationId: "readTag", summary: "Reads one tag", tags: ["tags"], responses: ok(reference("Tag")) },
    put: {
      operationId: "writeTag",
      summary: "Writes one tag",
      tags: ["tags"],
      parameters: [dryRun],
      requestBody: { required: true, content: json({ type: "object", required: ["value"], properties: { value: {} } }) },
      responses: ok(reference("Tag")),
    },
  },
};

const diagnosticPaths = {
  "/data/api/v1/slow": {
    get: {
      operationId: "slow",
      summary: "Answers after a while",
      tags: ["diagnostics"],
      parameters: [query("ms", "How long to wait, in milliseconds.", { type: "integer", minimum: 0, maximum: 60_000, default: 1_000 })],
      responses: ok({ type: "object", properties: { waitedMs: { type: "integer" } } }),
    },
  },
  "/data/api/v1/fail": {
    get: {
      operationId: "fail",
      summary: "Fails with a status of your choice",
      tags: ["diagnostics"],
      parameters: [query("status", "The status to answer with.", { type: "integer", minimum: 400, maximum: 599, default: 500 })],
      responses: { default: { description: "The failure.", content: json(reference("Failure")) } },
    },
  },
};

/** OpenAPI 3.1; its one server is the demo's own address. */
export const demoDocument = (url: string): object => ({
  openapi: "3.1.0",
  info: { title: "Demo gateway", version: "1.0.0", description: "A small API on this machine, to try every command on." },
  servers: [{ url }],
  security: [{ apiToken: [] }],
  paths: {
    "/data/api/v1/gateway-info": {
      get: { operationId: "gatewayInfo", summary: "Says what this gateway is", tags: ["gateway"], responses: ok(reference("GatewayInfo")) },
    },
    "/data/api/v1/logs": {
      get: {
        operationId: "listLogs",
        summary: "Lists log entries, newest first",
        tags: ["logs"],
        parameters: [
          ...paging,
          query("level", "Only entries of this level.", reference("Level")),
          query("text", "Only entries whose message holds this text.", { type: "string" }),
        ],
        responses: ok(listOf("LogEntry")),
      },
    },
    ...tagPaths,
    "/data/api/v1/scan/projects": {
      post: {
        operationId: "scanProjects",
        summary: "Scans the project folder",
        tags: ["scan"],
        parameters: [dryRun],
        responses: ok(reference("Scan")),
      },
    },
    ...diagnosticPaths,
  },
  components: {
    securitySchemes: { apiToken: { type: "apiKey", in: "header", name: "X-Ignition-API-Token" } },
    responses: { Denied: { description: "The token is missing or wrong.", content: json(reference("Failure")) } },
    schemas,
  },
});
