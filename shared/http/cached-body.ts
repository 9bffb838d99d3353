// Bodies that are made once and sent many times: bytes with an ETag, answered 304 to who has them already.
import { createHash } from 'node:crypto';
import { jsonHeaders, type Reply } from './reply.ts';
import type { ParsedRequest } from './request.ts';

export interface CachedBody {
  readonly whole: Reply;
  readonly notModified: Reply;
  readonly etag: string;
}

export function cachedJson(value: unknown): CachedBody {
  const bytes = Buffer.from(JSON.stringify(value));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return {
    etag,
    whole: { status: 200, headers: { ...jsonHeaders, ETag: etag }, body: bytes, sentOften: true },
    notModified: { status: 304, headers: { ETag: etag }, body: '' },
  };
}

/** RFC 9110 §13.1.2: If-None-Match compares weakly and may list several tags. */
export function replyWithCached(cached: CachedBody, request: Pick<ParsedRequest, 'headers'>): Reply {
  const asked = request.headers['if-none-match'];
  if (asked === undefined) return cached.whole;
  const matches = asked === '*' || asked.split(',').some((tag) => tag.trim().replace(/^W\//, '') === cached.etag);
  return matches ? cached.notModified : cached.whole;
}
