// The closed list of audit events (AUD-15 to AUD-31) and the shape of an entry (AUD-01).
import type { Instant } from '#shared/base/clock.ts';
import type { AuditedRequest } from './audited-request.ts';

export const auditEventTypes = [
  'authorization_request',
  'pushed_authorization_request',
  'client_metadata_document_refused',
  'token_request',
  'userinfo_request',
  'introspection_request',
  'revocation_request',
  'logout_request',
  'logout',
  'login',
  'session_started',
  'session_ended',
  'backchannel_logout',
  'consent_given',
  'consent_deleted',
  'device_authorization_request',
  'device_verification',
  'saml_request',
  'saml_logout',
  'saml_attribute_query',
  'key_rotation',
  'client_registered',
  'client_registration_refused',
  'client_registration_deleted',
  'runtime_identity_created',
  'runtime_identity_updated',
  'runtime_identity_deleted',
  'runtime_identities_reset',
  'runtime_identity_promoted',
  'runtime_identity_promotion_recovered',
  'runtime_identity_promotion_abandoned',
  'runtime_identity_removed_on_reload',
  'sandbox_created',
  'sandbox_reset',
  'sandbox_deleted',
  'fault_created',
  'fault_deleted',
  'fault_fired',
  'mcp_tool',
  'clock_changed',
] as const;

export type AuditEventType = (typeof auditEventTypes)[number];

/** An event as callers pass it to the audit. Absent values are recorded as null. */
export interface AuditEvent {
  readonly event_type: AuditEventType;
  /** Real time. */
  readonly at: Instant;
  /** The namespace's time, while its clock is moved (TIM-27). */
  readonly clock?: Instant | undefined;
  readonly username?: string | undefined;
  readonly client_id?: string | undefined;
  readonly ip_address?: string | undefined;
  readonly user_agent?: string | undefined;
  /** The canonical path, even if the request used an alias (AUD-11). */
  readonly endpoint?: string | undefined;
  readonly method?: string | undefined;
  readonly status: 'success' | 'failed' | 'denied' | 'error';
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly request?: AuditedRequest | undefined;
}

/** An entry as the store returns it. */
export interface AuditEntry {
  readonly timestamp: string;
  readonly clock: string | null;
  readonly event_type: AuditEventType;
  readonly username: string | null;
  readonly client_id: string | null;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly endpoint: string | null;
  readonly method: string | null;
  readonly status: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Only for pages, and only if requested: AUD-01 has no such member. */
  readonly request?: AuditedRequest;
}

export interface AuditStatistics {
  readonly total_requests: number;
  readonly token_requests: number;
  readonly saml_sso_requests: number;
  readonly saml_attribute_queries: number;
  readonly login_attempts: number;
  readonly successful_logins: number;
  readonly failed_logins: number;
}

/** What the store counts: the published counters (AUD-06), and how many of those requests were rejected (D49). */
export interface AuditCounters extends AuditStatistics {
  readonly refused_token_requests: number;
  readonly refused_saml_sso_requests: number;
  readonly refused_saml_attribute_queries: number;
}
