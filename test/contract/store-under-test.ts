// Helpers for the parts of the store contract: a store that is empty before each test, and values to insert.

import { type Instant, instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { type ClientEntry, clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { type UserEntry, userEntryModel } from '#shared/model/configuration/user-entry.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import { type AuthorizationRequest, noRequestedClaims } from '#shared/model/domain/authorization-request.ts';
import type { AuthorizationTransaction } from '#shared/model/domain/authorization-transaction.ts';
import type { DeviceGrant } from '#shared/model/domain/device-grant.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

export interface StoreUnderTest {
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
}

/** 2026-01-01T00:00:00Z, plus this number of seconds. */
export function at(seconds: number): Instant {
  return instant(1_767_225_600_000 + seconds * 1000);
}

export function authorizationRequest(clientId = 'web'): AuthorizationRequest {
  return {
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:9/callback',
    response_mode: 'query',
    scope: ['openid', 'profile'],
    state: 'xyz',
    nonce: undefined,
    code_challenge: undefined,
    code_challenge_method: undefined,
    claims: noRequestedClaims,
    resource: [],
    login_hint: undefined,
  };
}

export function transaction(
  id: string,
  given: Partial<Pick<AuthorizationTransaction, 'browser' | 'direct' | 'embedded' | 'createdAt'>> & {
    clientId?: string;
  } = {},
): AuthorizationTransaction {
  const { browser = 'browser-1', direct = false, embedded = false, createdAt = at(0), clientId = 'web' } = given;
  return {
    transaction_id: id,
    browser,
    request: authorizationRequest(clientId),
    parameters: [
      ['client_id', clientId],
      ['scope', 'openid profile'],
    ],
    direct,
    embedded,
    createdAt,
  };
}

export function code(value: string, given: { issuedAt?: Instant; clientId?: string } = {}): AuthorizationCodeRecord {
  const { issuedAt = at(0), clientId = 'web' } = given;
  return {
    code: value,
    request: authorizationRequest(clientId),
    username: 'alice',
    authenticatedAt: issuedAt,
    method: 'password',
    amr: undefined,
    issuedAt,
  };
}

export function deviceGrant(number: number, given: Partial<DeviceGrant> = {}): DeviceGrant {
  return {
    device_code: `device-${number}`,
    user_code: `USER-${number}`,
    client_id: 'tv',
    scope: ['openid'],
    resource: ['https://api.example.org'],
    createdAt: at(0),
    expiresAt: at(600),
    intervalSeconds: 5,
    decision: { state: 'pending' },
    ...given,
  };
}

export function userEntry(members: Record<string, unknown> = {}): UserEntry {
  return userEntryModel.parse({ password: 'secret', ...members });
}

export function clientEntry(clientId: string, members: Record<string, unknown> = {}): ClientEntry {
  return clientEntryModel.parse({ client_id: clientId, client_secret: 'secret', ...members });
}

export function event(event_type: AuditEvent['event_type'], given: Partial<AuditEvent> = {}): AuditEvent {
  return { event_type, at: at(0), status: 'success', ...given };
}

export async function eventTypes(audit: AuditLog): Promise<readonly string[]> {
  return (await audit.read({ limit: -1 })).map(({ event_type }) => event_type);
}
