// The audit events of /api/runtime. Username or client_id is the object's own name, so that the audit can be filtered
// by it (AUD-29, AUD-30).
import type { AuditEvent, AuditEventType } from '#shared/audit/audit-event.ts';
import type { IdentityKind } from '#shared/domain/runtime-identity.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';

export function identityEvent(
  event_type: Extract<
    AuditEventType,
    'runtime_identity_created' | 'runtime_identity_updated' | 'runtime_identity_deleted' | 'runtime_identity_promoted'
  >,
  kind: IdentityKind,
  name: string,
  request: ParsedRequest,
  context: RequestContext,
  details: Readonly<Record<string, unknown>> = {},
): AuditEvent {
  return auditEvent(request, context, {
    event_type,
    ...(kind === 'user' ? { username: name } : { client_id: name }),
    endpoint: endpointOf(event_type, kind, name),
    status: 'success',
    details: { kind, name, ...details },
  });
}

function endpointOf(event_type: AuditEventType, kind: IdentityKind, name: string): string {
  const list = kind === 'user' ? '/api/runtime/users' : '/api/runtime/clients';
  if (event_type === 'runtime_identity_created') return list;
  const one = `${list}/${encodeURIComponent(name)}`;
  return event_type === 'runtime_identity_promoted' ? `${one}/promote` : one;
}
