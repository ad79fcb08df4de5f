// What the rest of the gateway knows of an API document: operations that can be listed, found and
// described one at a time. Nothing outside this folder sees the document itself.

/** One line of a listing. */
export interface OperationSummary {
  readonly method: string;
  readonly path: string;
  readonly operationId?: string | undefined;
  readonly summary?: string | undefined;
  readonly tags: readonly string[];
}

/** `querystring` is the whole query as one value. */
export type ParameterPlace = "path" | "query" | "querystring" | "header" | "cookie";
export type ParameterStyle = "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject" | "cookie";

export interface Parameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly description?: string | undefined;
  /** JSON Schema 2020-12; `$ref`s point into `definitions` of the description. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Set where the parameter is one serialized document (`content` in OpenAPI), e.g. `application/json`. */
  readonly contentType?: string | undefined;
}

export interface RequestBodyMedia {
  readonly contentType: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** OpenAPI's `encoding` of form and multipart properties. */
  readonly encoding?: Readonly<
    Record<string, { readonly contentType?: string; readonly style?: ParameterStyle; readonly explode?: boolean }>
  >;
}

/** Everything that is needed to build a request of one operation, or to show it to a model. */
export interface OperationDescription extends OperationSummary {
  readonly description?: string | undefined;
  readonly deprecated?: true | undefined;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly media: readonly RequestBodyMedia[] } | undefined;
  /** Names of the security schemes of which one suffices; empty: none is needed. */
  readonly security: readonly string[];
  /** The schemas that the ones above refer to, by `#/$defs/<name>`. */
  readonly definitions: Readonly<Record<string, unknown>>;
}

/** How the token travels according to the document. */
export interface SecurityScheme {
  readonly name: string;
  readonly in: "header" | "query" | "cookie";
  /** The header, query parameter or cookie. */
  readonly field: string;
  /** Put before the token, e.g. `Bearer `. */
  readonly prefix: string;
}

export interface OperationIndex {
  readonly title: string;
  readonly operations: readonly OperationSummary[];
  readonly securitySchemes: readonly SecurityScheme[];
  /** By operation id: exact, else without case when that is unambiguous. Throws `usage`, suggesting near names. */
  find(operationId: string): OperationSummary;
  describe(operation: OperationSummary): Promise<OperationDescription>;
}
