// A request that is ready to be sent: everything about it was checked, and it goes to the configured
// origin. The token is not part of it; it is added at the last moment, by what sends it.

export interface HttpRequest {
  readonly method: string;
  /** Below the target's address, whatever the item said; as a URL writes it, without a fragment. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer | undefined;
}
