// The shared part of POST /api/keys/rotate and POST /keys/regenerate, and its rejections (AUD-27). A rejection changes
// no key. Its directory and cause are written to the log only (KEY-23).
import * as z from 'zod';
import type { DeclaredAnswer } from '#shared/engine/exchange/operation.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { auditEvent, type ParsedRequest, type ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { ApiRefusalRow } from '#shared/model/refusals/api-refusal.ts';
import { rotationRefusalOf } from '#shared/model/refusals/families/keys.ts';
import { type KeyRotation, type KeyRotationRefusal, KeyRotationRefusedError } from '#shared/state/keys/key-ring.ts';
import { rotateAndRecord } from '#shared/state/keys/rotate-and-record.ts';

const refusalModel = (...kinds: readonly [KeyRotationRefusal, ...KeyRotationRefusal[]]) =>
  z.strictObject({ success: z.literal(false), error: z.string(), kind: z.enum(kinds) });

/** The same rejections as declarations. */
export const rotationRefusalAnswers: Readonly<Record<number, DeclaredAnswer>> = {
  409: refusalModel('external_keys_not_rotatable', 'keys_directory_not_writable', 'lock_namespace_unavailable'),
  503: refusalModel('lock_timeout', 'lock_unsupported'),
};

/** KEY-21 to KEY-23. */
export function rotationRefusalReply({ kind, message }: KeyRotationRefusedError): Reply {
  const { status, headers }: ApiRefusalRow = rotationRefusalOf[kind];
  return json(status, { success: false, error: message, kind }, headers);
}

export async function rotateKeys(
  request: ParsedRequest,
  context: ProtocolContext,
  username: string | undefined,
): Promise<KeyRotation | KeyRotationRefusedError> {
  try {
    return await rotateAndRecord(
      context,
      (event) => auditEvent(request, context, { ...event, username, endpoint: request.path }),
      (error) => {
        throw error;
      },
    );
  } catch (error) {
    if (!(error instanceof KeyRotationRefusedError)) throw error;
    context.log.warn({ kind: error.kind, err: error.cause }, 'rejected a key rotation');
    return error;
  }
}
