// Bodies that are made once and sent many times: bytes with an ETag. A client that has the current body gets 304.
import { createHash } from 'node:crypto';
import { jsonText } from '#shared/base/terminal-safe-text.ts';
import { documentReply, type OutputHooks } from './output-hooks.ts';
import { jsonHeaders, type Reply } from './reply.ts';
import type { ParsedRequest } from './request.ts';

export interface CachedBody {
  readonly whole: Reply;
  readonly notModified: Reply;
  readonly etag: string;
}

export function cachedJson(value: unknown): CachedBody {
  return cached(Buffer.from(jsonText(value)), 'application/json');
}

/** A strong tag (RFC 9110 §8.8.3): different content has a different tag. */
export function entityTagOf(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

function cached(bytes: Buffer, mediaType: string): CachedBody {
  const etag = entityTagOf(bytes);
  return {
    etag,
    whole: {
      status: 200,
      headers: { ...jsonHeaders, 'Content-Type': mediaType, ETag: etag },
      body: bytes,
      sentOften: true,
    },
    notModified: { status: 304, headers: { ETag: etag }, body: '' },
  };
}

const issuersKeptMax = 64;

/** The bodies of a document that differs by issuer. Issuers may follow the Host header, so their number is bounded. */
export class BodiesByIssuer {
  readonly #bodies = new Map<string, CachedBody>();

  of(issuer: string): CachedBody | undefined {
    return this.#bodies.get(issuer);
  }

  keep(issuer: string, body: CachedBody): CachedBody {
    if (this.#bodies.size >= issuersKeptMax) this.#bodies.clear();
    this.#bodies.set(issuer, body);
    return body;
  }
}

/** RFC 9110 §13.1.2: If-None-Match compares weakly and may list several tags. */
export function replyWithCached(cached: CachedBody, request: Pick<ParsedRequest, 'headers'>): Reply {
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch === undefined) return cached.whole;
  const matches =
    ifNoneMatch === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === cached.etag);
  return matches ? cached.notModified : cached.whole;
}

/** A document for one request alone, with the tag of its changed content. */
export async function alteredDocument(
  document: Readonly<Record<string, unknown>>,
  request: Pick<ParsedRequest, 'headers'>,
  change: NonNullable<OutputHooks['document']>,
): Promise<Reply> {
  const { headers, body } = await documentReply(200, document, { document: change });
  return replyWithCached(cached(Buffer.from(body), String(headers['Content-Type'])), request);
}
