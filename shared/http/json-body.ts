// JSON bodies of the REST API and of registration. Members named `__proto__` stay plain own members, as JSON.parse
// makes them; callers read known names through zod models.

import { managementRefusals } from '#shared/refusals/families/management.ts';
import type { ParsedRequest } from './request.ts';
import { apiError } from './route.ts';

/** The value of a JSON body. @throws ApiError 400 when it is malformed (HDR-18). An empty body is undefined. */
export function parseJsonBody(request: Pick<ParsedRequest, 'body'>): unknown {
  if (request.body.length === 0) return undefined;
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch {
    throw apiError(managementRefusals.body_not_json);
  }
}
