// GET /api/keys/info and POST /api/keys/rotate (KEY-10, KEY-11, KEY-21 to KEY-23).
import { json, type Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { KeyRotationRefusedError } from '#shared/keys/key-ring.ts';
import { rotateKeys, rotationRefusalReply } from '../rotate-keys.ts';

export const keysApiRoutes: readonly Route[] = [
  { path: '/api/keys/info', surface: 'api', methods: { GET: showKeys } },
  { path: '/api/keys/rotate', surface: 'api', methods: { POST: rotate } },
];

async function showKeys(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  return json(200, await context.keys.information());
}

async function rotate(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const rotation = await rotateKeys(request, context, 'api');
  if (!(rotation instanceof KeyRotationRefusedError)) return json(200, { success: true, ...rotation });
  return rotationRefusalReply(rotation);
}
