// Which redirects are followed: those of GET and HEAD that stay on the gateway's own origin. Any other
// one ends the call, so that no header of ours reaches a place that nobody configured.

export type RedirectVerdict = { readonly kind: "follow"; readonly url: string } | { readonly kind: "refuse"; readonly why: string };

export const isRedirectStatus = (status: number): boolean =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

/** Undefined if the response is no redirect. */
export function judgeRedirect(status: number, location: string | undefined, from: string, method: string): RedirectVerdict | undefined {
  if (!isRedirectStatus(status) || location === undefined) return undefined;
  if (method !== "GET" && method !== "HEAD") return { kind: "refuse", why: `redirect of a ${method} is not followed` };
  if (!URL.canParse(location, from)) return { kind: "refuse", why: "redirect to an invalid address" };
  const url = new URL(location, from);
  const isSameOrigin = url.origin === new URL(from).origin && url.username === "" && url.password === "";
  if (!isSameOrigin) return { kind: "refuse", why: `redirect to another origin (${url.origin}) is not followed` };
  return { kind: "follow", url: url.origin + url.pathname + url.search };
}
