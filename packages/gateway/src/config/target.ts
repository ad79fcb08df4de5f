// Where calls go and with which token, as resolved from flags, environment and configuration file.

export interface Target {
  /** The gateway's address: an origin, perhaps with a base path. Never with user name or password. */
  readonly baseUrl: URL;
  readonly token?: string | undefined;
  readonly auth: AuthPlacement;
  /** The API document where one is named: an absolute path, or an http or https address. */
  readonly specFile?: string | undefined;
  /** The profile it came from, for messages. */
  readonly profile?: string | undefined;
}

/** How the token travels: a header (the default, `X-Ignition-API-Token`), or a security scheme of the document by name. */
export type AuthPlacement =
  | { readonly kind: "header"; readonly header: string; readonly prefix: string }
  | { readonly kind: "scheme"; readonly name: string };
