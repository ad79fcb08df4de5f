// What a command's environment contains: what programs need to find their way, and nothing else. Keys and
// tokens of the runtime are in its own environment; a command never sees them.

const allowedNames: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ"],
  // Without these, programs on Windows don't start.
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA"],
]);

export function commandEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const comparable = process.platform === "win32" ? name.toUpperCase() : name;
    if (value !== undefined && (allowedNames.has(comparable) || /^LC_[A-Z]+$/.test(comparable))) kept[name] = value;
  }
  return kept;
}
