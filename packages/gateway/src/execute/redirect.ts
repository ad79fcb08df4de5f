// Which redirects are followed: those of GET and HEAD that stay on the gateway's own origin. Any other
// one ends the call, so that no header of ours reaches a place that nobody configured.

export type RedirectVerdict = { readonly kind: "follow"; readonly url: URL } | { readonly kind: "refuse"; readonly why: string };

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Undefined if the response is no redirect. */
export function judgeRedirect(status: number, location: string | undefined, from: URL, method: string): RedirectVerdict | undefined {
  if (!redirectStatuses.has(status) || location === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD") return { kind: "refuse", why: `redirect of a ${method} is not followed` };
  if (!URL.canParse(location, from.href)) return { kind: "refuse", why: "redirect to an invalid address" };
  const url = new URL(location, from);
  const isSameOrigin = url.origin === from.origin && url.username === "" && url.password === "";
  return isSameOrigin ? { kind: "follow", url } : { kind: "refuse", why: `redirect to another origin (${url.origin}) is not followed` };
}
