// Takes known secrets out of texts that leave the runtime: errors, notices, the audit log. A key that was given
// to a vendor, a server or a tool may come back in what it says.

/** A shorter one is a word such as `true`, or what a local server asks for, and no secret. */
const minSecretChars = 8;

/** A function that gives a text without them, in whatever form it holds them. */
export function createHiding(secrets: readonly string[], minChars: number = minSecretChars): (text: string) => string {
  const forms = secrets
    .filter(({ length }) => length >= minChars)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = [...new Set(forms)].toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, "[redacted]"), text);
}

/** The values in an environment that are secrets by their names. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value && /key|token|secret|passw|credential|auth/i.test(name) ? [value] : [],
  );
}
