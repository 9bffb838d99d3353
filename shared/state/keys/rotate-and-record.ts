// A rotation of the signing key with its one audit event, the same for the REST API, the web UI and MCP (AUD-27).
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { AuditLog } from '#shared/state/store/ports/index.ts';
import type { KeyRing, KeyRotation } from './key-ring.ts';

/**
 * Rotates, then records `key_rotation` with both kids. `origin`: the requester, endpoint and time. If the event cannot
 * be recorded, the rotation stays valid, and `whenUnrecorded` handles event and error.
 * @throws KeyRotationRefusedError with no key changed and nothing recorded
 */
export async function rotateAndRecord(
  { keys, audit }: { readonly keys: KeyRing; readonly audit: AuditLog },
  origin: (event: Pick<AuditEvent, 'event_type' | 'status' | 'details'>) => AuditEvent,
  whenUnrecorded: (error: unknown, event: AuditEvent) => void,
): Promise<KeyRotation> {
  const rotation = await keys.rotate();
  const event = origin({
    event_type: 'key_rotation',
    status: 'success',
    details: { old_kid: rotation.old_kid, new_kid: rotation.new_kid },
  });
  await audit.record(event, { done: true }).catch((error: unknown) => whenUnrecorded(error, event));
  return rotation;
}
