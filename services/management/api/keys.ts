// GET /api/keys/info and POST /api/keys/rotate (KEY-10, KEY-11, KEY-21 to KEY-23).
import * as z from 'zod';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { KeyRotationRefusedError } from '#shared/state/keys/key-ring.ts';
import { rotateKeys, rotationRefusalAnswers, rotationRefusalReply } from '../rotate-keys.ts';

const keysModel = z
  .strictObject({
    active_kid: z.string(),
    previous_keys_count: z.int().min(0),
    previous_kids: z.array(z.string()).describe('Newest first.'),
    max_previous_keys: z.int().min(0),
  })
  .meta({ id: 'Keys' });

const rotationModel = z
  .strictObject({
    success: z.literal(true),
    old_kid: z.string(),
    new_kid: z.string(),
    previous_keys_count: z.int().min(0),
    rotated_at: z.iso.datetime(),
  })
  .meta({ id: 'KeyRotation' });

export const keysApiRoutes: readonly Route[] = [
  {
    path: '/api/keys/info',
    audience: 'api',
    methods: { GET: showKeys },
    operations: {
      GET: { id: 'showKeys', summary: 'Returns the keys that sign and verify.', answers: { 200: keysModel } },
    },
  },
  {
    path: '/api/keys/rotate',
    audience: 'api',
    methods: { POST: rotate },
    operations: {
      POST: {
        id: 'rotateKeys',
        summary: 'Creates a new signing key. Tokens of the old key stay valid.',
        answers: { 200: rotationModel, ...rotationRefusalAnswers },
      },
    },
  },
];

async function showKeys(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  return json(200, await context.keys.information());
}

async function rotate(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const rotation = await rotateKeys(request, context, 'api');
  if (!(rotation instanceof KeyRotationRefusedError)) return json(200, { success: true, ...rotation });
  return rotationRefusalReply(rotation);
}
