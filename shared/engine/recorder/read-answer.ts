// Reads a response from the reply that is actually sent. This includes every change by a fault, and no endpoint has to
// report it. Reads the members of a JSON object, of a redirect address, or of a form that a page posts.

import { titleOfPage } from '#shared/base/page-title.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';

export interface ReadAnswer {
  readonly members: Readonly<Record<string, unknown>>;
  /** A page for a person, which is not yet a response to a client. */
  readonly page: boolean;
}

const nothing: ReadAnswer = { members: {}, page: false };

const readCharactersMax = 1024 * 1024;

export function readAnswer({ status, headers, body, json }: Reply): ReadAnswer {
  if (status >= 300 && status < 400) return { members: membersOfAddress(oneOf(headers.Location)), page: false };
  const mediaType = oneOf(headers['Content-Type']);
  if (body.length === 0 || body.length > readCharactersMax) return nothing;
  if (mediaType.startsWith('text/html')) return ofPage(textOf(body));
  if (!mediaType.includes('json')) return nothing;
  return json?.text === body && isMapping(json.value) ? { members: json.value, page: false } : ofJson(textOf(body));
}

function ofJson(text: string): ReadAnswer {
  try {
    const value: unknown = JSON.parse(text);
    return { members: isMapping(value) ? value : { value }, page: false };
  } catch {
    // A fault may have made it unreadable, and the client sees the same.
    return { members: { text }, page: false };
  }
}

const hiddenField = /<input type="hidden" name="([^"]*)" value="([^"]*)"/g;

/** A page that posts itself is a response to the client. Any other page waits for a person. */
function ofPage(html: string): ReadAnswer {
  const members: Record<string, string> = {};
  for (const [, name = '', value = ''] of html.matchAll(hiddenField)) members[unescaped(name)] = unescaped(value);
  const isDelivery = html.includes('data-auto-submit') && !('SAMLRequest' in members);
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1];
  return {
    members: title === undefined ? members : { page: titleOfPage(unescaped(title)), ...members },
    page: !isDelivery,
  };
}

/** Both query and fragment; a repeated member counts once. */
function membersOfAddress(address: string): Readonly<Record<string, string>> {
  const query = address.indexOf('?');
  const fragment = address.indexOf('#');
  const parts = [
    query < 0 ? '' : address.slice(query + 1, fragment < query ? undefined : fragment),
    fragment < 0 ? '' : address.slice(fragment + 1),
  ];
  return Object.fromEntries(parts.flatMap((part) => [...new URLSearchParams(part)]));
}

function oneOf(value: string | readonly string[] | undefined): string {
  return value === undefined ? '' : typeof value === 'string' ? value : (value[0] ?? '');
}

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}
