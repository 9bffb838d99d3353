// The audit events of /api/runtime. Username or client_id is the object's own name, so that the audit can be filtered
// by it (AUD-29, AUD-30).

import { auditEvent, type ParsedRequest, type ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { AuditEvent, AuditEventType } from '#shared/model/audit/audit-event.ts';
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';

export function identityEvent(
  event_type: Extract<
    AuditEventType,
    'runtime_identity_created' | 'runtime_identity_updated' | 'runtime_identity_deleted' | 'runtime_identity_promoted'
  >,
  kind: RuntimeKind,
  name: string,
  request: ParsedRequest,
  context: ProtocolContext,
  details: Readonly<Record<string, unknown>> = {},
): AuditEvent {
  return auditEvent(request, context, {
    event_type,
    ...whose[kind](name),
    endpoint: endpointOf(event_type, kind, name),
    status: 'success',
    details: { kind, name, ...details },
  });
}

const whose = {
  user: (username: string) => ({ username }),
  client: (client_id: string) => ({ client_id }),
  service_provider: () => ({}),
} as const;

const lists: Readonly<Record<RuntimeKind, string>> = {
  user: '/api/runtime/users',
  client: '/api/runtime/clients',
  service_provider: '/api/runtime/service-providers',
};

function endpointOf(event_type: AuditEventType, kind: RuntimeKind, name: string): string {
  const list = lists[kind];
  if (event_type === 'runtime_identity_created') return list;
  const one = `${list}/${encodeURIComponent(name)}`;
  return event_type === 'runtime_identity_promoted' ? `${one}/promote` : one;
}
