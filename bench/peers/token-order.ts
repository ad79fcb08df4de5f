// What a message to the bench's agents orders, and the tokens that fulfil it.

export interface TokenOrder {
  readonly count: number;
  /** Length of each token; 0: the moment at which it was made, for whoever measures its way. */
  readonly chars: number;
  readonly pauseMs: number;
}

/** Each token is made when it is called. */
export function* orderedTokens({ count, chars }: TokenOrder): Generator<() => string> {
  const text = "x".repeat(chars);
  for (let index = 0; index < count; index++) yield () => (chars > 0 ? text : String(process.hrtime.bigint()));
}
