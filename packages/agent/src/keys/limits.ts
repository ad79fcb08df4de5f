// Every bound of keys and settings that a host sets: one name, one default, one reason. Names end in their unit. `docs/limits.md`
// is generated from this file: the comment above a number is its reason there.

export const settingsLimits = {
  /** Length of a key. */
  keyChars: 4_096,
  /** Keys that are kept. */
  keyEntries: 64,
  /** Asking a vendor whether it takes a key. */
  keyTestMs: 10_000,
  /** What it may answer: a list of models. */
  keyTestBytes: 2_097_152,
  /** Names of models that the answer to the host shows. */
  keyTestModelEntries: 200,
  /** How long the system's keychain is waited for: enough to enter the password that opens it. */
  keychainMs: 30_000,
  /** What the settings show of the description of a tool of an MCP server: all of them are one line. */
  shownDescriptionChars: 150,
};
