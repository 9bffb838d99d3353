// A page as a reply, with the headers that every page carries: no inline or foreign script, no framing, no sniffing, no
// referrer to other sites. Pages show users and settings, so no cache may store them (WEB-26). There is deliberately no
// form-action, because browsers apply it to the redirects after a form. A login form redirects to the client, and a
// SAML response posts to the service provider (WEB-27).
import { html, type Reply } from '#shared/engine/exchange/reply.ts';

const imageSources = "img-src 'self' data:";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  imageSources,
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-cache, private',
} as const;

/** A page with frames at these addresses. Its policy names their origins (LGO-17). */
export function pageFraming(status: number, documentText: string, frames: readonly string[]): Reply {
  const policy = `${contentSecurityPolicy}; frame-src ${[...new Set(frames.map(originInPolicy))].join(' ')}`;
  return page(status, documentText, { 'Content-Security-Policy': policy });
}

/** A page that may show the client's own logo: pictures may be loaded from its origin and no other (SSO-55). */
export function pageOfClient(
  status: number,
  documentText: string,
  client: { readonly logo_uri?: string | undefined } | undefined,
): Reply {
  if (client?.logo_uri === undefined) return page(status, documentText);
  const policy = contentSecurityPolicy.replace(imageSources, `${imageSources} ${originInPolicy(client.logo_uri)}`);
  return page(status, documentText, { 'Content-Security-Policy': policy });
}

/** A host may contain the separators of directives and policies. */
function originInPolicy(address: string): string {
  return new URL(address).origin.replace(/[;,]/g, encodeURIComponent);
}

/** `documentText` as made by `renderPage`. `headers` override the page's own. */
export function page(
  status: number,
  documentText: string,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Reply {
  return html(status, documentText, { ...pageHeaders, ...headers });
}
