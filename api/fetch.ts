// idp.fetch: what fetch would answer, of this instance alone.
import { IdpError } from './errors.ts';
import type { Asking } from './requests.ts';
import type { IdpResponse, RequestOptions } from './types.ts';

const redirectsMax = 20;
const withoutBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** @throws IdpError not_reachable, stopped, invalid_option */
export async function fetchFrom(
  base: string,
  ask: Asking,
  path: string,
  { method, headers = {}, body, redirect = 'follow' }: RequestOptions,
): Promise<IdpResponse> {
  const sent = sentAs(body);
  let target = pathIn(base, path);
  let question = {
    method: method ?? (sent === undefined ? 'GET' : 'POST'),
    headers: { ...(sent === undefined ? {} : { 'Content-Type': sent.type }), ...headers },
    body: sent?.content,
  };
  for (let redirects = 0; ; redirects += 1) {
    const { status, rawHeaders, body: content, headers: named } = await ask(target, question);
    const next = redirect === 'follow' && status >= 300 && status < 400 ? named.location : undefined;
    const inside = next === undefined ? undefined : pathInside(base, new URL(next, base + target));
    if (inside === undefined || redirects === redirectsMax) {
      const answered = new Response(withoutBody.has(status) ? null : new Uint8Array(content), { status });
      for (let index = 0; index < rawHeaders.length; index += 2) {
        answered.headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
      }
      return answered;
    }
    // As fetch does: what was posted is not posted again, unless the status says so.
    const keeps = status === 307 || status === 308 || question.method === 'GET' || question.method === 'HEAD';
    question = keeps ? question : { method: 'GET', headers: {}, body: undefined };
    target = inside;
  }
}

function pathIn(base: string, path: string): string {
  if (path.startsWith('/')) return path;
  const inside = URL.canParse(path) ? pathInside(base, new URL(path)) : undefined;
  if (inside !== undefined) return inside;
  throw new IdpError('invalid_option', 'fetch takes a path that begins with a slash, or an address of this instance');
}

function pathInside(base: string, url: URL): string | undefined {
  const { href } = url;
  return href === base || href.startsWith(`${base}/`) || href.startsWith(`${base}?`)
    ? href.slice(base.length) || '/'
    : undefined;
}

function sentAs(body: unknown): { readonly type: string; readonly content: string | Uint8Array } | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return { type: 'text/plain;charset=UTF-8', content: body };
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', content: body };
  if (body instanceof URLSearchParams) return { type: 'application/x-www-form-urlencoded', content: body.toString() };
  return { type: 'application/json', content: JSON.stringify(body) };
}
