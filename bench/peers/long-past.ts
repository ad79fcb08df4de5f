// What the runtime with a long past holds, for the program that makes it and the row that looks at it.

export const longConversation = { messages: 10_000 } as const;

/** As much as one line of the protocol takes, with what stands around it. */
export const largeResultChars = 9_500_000;
