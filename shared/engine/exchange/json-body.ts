// JSON bodies of the REST API and of registration. Members named `__proto__` stay plain own members, as JSON.parse
// makes them; callers read known names through zod models.

import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import type { ParsedRequest } from './request.ts';
import { apiError } from './route.ts';

/** The value of a JSON body. @throws ApiError 400 when it is malformed (HDR-18). An empty body is undefined. */
export function parseJsonBody(request: Pick<ParsedRequest, 'body'>): unknown {
  if (request.body.length === 0) return undefined;
  try {
    return jsonOf(request.body);
  } catch {
    throw apiError(managementRefusals.body_not_json);
  }
}

// A byte order mark is kept, so the body is not valid JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Strictly UTF-8 (RFC 8259 §8.1), without halves of surrogate pairs (RFC 7493 §2.1). A U+FFFD in place of either would
 * store a name that differs from the one sent, and no user could log in with it.
 * @throws Error
 */
export function jsonOf(body: Buffer): unknown {
  const text = utf8.decode(body);
  return maybeHalfPair.test(text) ? JSON.parse(text, withoutHalfPairs) : JSON.parse(text);
}

/** An escaped half, as JSON may write it. Valid UTF-8 cannot encode one directly. */
const maybeHalfPair = /\\u[dD][89a-fA-F]/;

function withoutHalfPairs(key: string, value: unknown): unknown {
  if ([key, value].some((text) => typeof text === 'string' && /\p{Surrogate}/u.test(text))) {
    throw new Error('a string contains an unpaired surrogate');
  }
  return value;
}
