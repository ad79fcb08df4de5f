// Every bound of what is said on the wires: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const protocolLimits = {
  /** Length of a foreign error text inside one of our messages. */
  maxErrorTextChars: 2_000,
  /** Lines of a program that aren't messages and are shown in the log one by one; further ones are counted. */
  shownNoiseEntries: 8,
  /** How much of such a line is shown. */
  shownNoiseChars: 300,
};
