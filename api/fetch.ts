// idp.fetch: what fetch would answer, of this instance alone.
import { noOther } from './arguments.ts';
import { IdpError } from './errors.ts';
import { type Place, reachedAt } from './own-addresses.ts';
import { type Asking, writtenAsJson } from './requests.ts';
import type { IdpResponse, RequestOptions } from './types.ts';

const redirectsMax = 20;
const withoutBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** @throws IdpError not_reachable, stopped, invalid_option, redirected, and the reason of the signal */
export async function fetchFrom(
  place: Place,
  ask: Asking,
  path: string | URL,
  { method, headers, body, redirect = 'follow', signal, ...others }: RequestOptions,
): Promise<IdpResponse> {
  noOther('fetch', others, ['method', 'headers', 'body', 'redirect', 'signal']);
  if (!['follow', 'manual', 'error'].includes(redirect)) {
    throw new IdpError('invalid_option', 'redirect must be follow, manual or error.');
  }
  const sent = await sentAs(body);
  let target = pathIn(place, String(path));
  let question = {
    method: method ?? (sent === undefined ? 'GET' : 'POST'),
    headers: { ...(sent?.type === undefined ? {} : { 'content-type': sent.type }), ...named(headers) },
    body: sent?.content,
    signal: signal ?? undefined,
  };
  for (let redirects = 0; ; redirects += 1) {
    const { status, rawHeaders, body: content, headers: answered } = await ask(target, question);
    const location = status >= 300 && status < 400 ? answered.location : undefined;
    if (location !== undefined && redirect === 'error') {
      throw new IdpError('redirected', `${question.method} ${pathOf(target)} returned ${status}, a redirect.`);
    }
    const next = redirect === 'follow' ? location : undefined;
    const inside = next === undefined ? undefined : pathInside(place, new URL(next, place.url + target));
    if (inside === undefined || redirects === redirectsMax) {
      const answer = new Response(withoutBody.has(status) ? null : new Uint8Array(content), { status });
      for (let index = 0; index < rawHeaders.length; index += 2) {
        answer.headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
      }
      return answer;
    }
    // As fetch does: what was posted is not posted again, unless the status says so.
    const keeps = status === 307 || status === 308 || question.method === 'GET' || question.method === 'HEAD';
    question = keeps
      ? question
      : { ...question, method: 'GET', headers: withoutContent(question.headers), body: undefined };
    target = inside;
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? target;
}

function named(headers: RequestOptions['headers']): Readonly<Record<string, string>> {
  if (headers === undefined) return {};
  try {
    return Object.fromEntries(new Headers(headers instanceof Headers ? headers : pairsOf(headers)));
  } catch (cause) {
    throw new IdpError('invalid_option', 'headers must be valid header names and values.', { cause });
  }
}

function pairsOf(headers: object): [string, string][] {
  const pairs: readonly unknown[] = isIterable(headers) ? [...headers] : Object.entries(headers);
  return pairs.map((pair) => {
    const [name, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    return [String(name), String(value)];
  });
}

/** Lists of pairs, a Map, and the Headers of another library. */
function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function withoutContent(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}

function pathIn(place: Place, path: string): string {
  if (path.startsWith('/')) return path;
  const inside = URL.canParse(path) ? pathInside(place, new URL(path)) : undefined;
  if (inside !== undefined) return inside;
  throw new IdpError(
    'invalid_option',
    'The argument of fetch() must be a path that begins with a slash, or a URL of this instance.',
  );
}

function pathInside(place: Place, url: URL): string | undefined {
  const reached = reachedAt(url, place);
  return reached && (reached.href.slice(place.url.length) || '/');
}

interface SentBody {
  readonly type: string | undefined;
  readonly content: string | Uint8Array;
}

async function sentAs(body: unknown): Promise<SentBody | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return { type: 'text/plain;charset=UTF-8', content: body };
  if (body instanceof ArrayBuffer) return bytes(new Uint8Array(body));
  if (ArrayBuffer.isView(body)) return bytes(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
  if (body instanceof URLSearchParams) return { type: 'application/x-www-form-urlencoded', content: body.toString() };
  if (body instanceof FormData || body instanceof Blob || body instanceof ReadableStream) {
    // The platform knows how it writes them, and what it calls that.
    const written = new Response(body);
    return {
      type: written.headers.get('content-type') ?? undefined,
      content: new Uint8Array(await written.arrayBuffer()),
    };
  }
  return { type: 'application/json', content: writtenAsJson(body) };
}

function bytes(content: Uint8Array): SentBody {
  return { type: 'application/octet-stream', content };
}
