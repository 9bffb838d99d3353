// The summary of a sandbox and its audit events, the same for REST and the page (SBX-01, SBX-08, SBX-45).

import { auditEvent, type ParsedRequest, type ProtocolContext } from '#shared/engine/exchange/request.ts';
import { describeSandbox } from '#shared/engine/sandboxes/describe-sandbox.ts';
import type { AuditEvent, AuditEventType } from '#shared/model/audit/audit-event.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';

/** As seen from the default identity provider. */
export function sandboxSummary(sandbox: Sandbox, context: Pick<ProtocolContext, 'issuer' | 'baseUrl'>) {
  return describeSandbox(sandbox, context);
}

/** Recorded in the audit of the default identity provider, each exactly once. */
export function sandboxEvent(
  event_type: Extract<AuditEventType, `sandbox_${string}`>,
  request: ParsedRequest,
  context: ProtocolContext,
): (sandbox: Sandbox) => AuditEvent {
  const reason = event_type === 'sandbox_deleted' ? { reason: 'deleted' } : {};
  return ({ name, instanceId }) =>
    auditEvent(request, context, {
      event_type,
      endpoint: request.path,
      status: 'success',
      details: { name, instance_id: instanceId, ...reason },
    });
}
