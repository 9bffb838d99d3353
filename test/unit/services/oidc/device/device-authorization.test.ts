import { expect } from 'chai';
import { postDeviceAuthorization } from '#services/oidc/device/device-authorization.ts';
import { Parameters } from '#shared/base/parameters.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { noHooks } from '#shared/engine/exchange/output-hooks.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { DeviceGrant } from '#shared/model/domain/device-grant.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import type { DeviceGrants } from '#shared/state/store/ports/device-grants.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { addresses } from '#test/support/endpoint-context.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = {
  device_flow: { polling_interval: 8 },
  oauth: { clients: [{ client_id: 'tv', token_endpoint_auth_method: 'none' }] },
};

/** A request of the public client `tv`, with a store that returns `outcomes` in order. */
function begin(outcomes: readonly ('begun' | 'collision' | 'full')[]) {
  const grants: DeviceGrant[] = [];
  const events: AuditEvent[] = [];
  const deviceGrants: Partial<DeviceGrants> = {
    begin: async (grant) => {
      grants.push(grant);
      return outcomes[grants.length - 1] ?? 'collision';
    },
  };
  const store: Partial<RuntimeStore> = { deviceGrants: deviceGrants as DeviceGrants };
  const audit: Partial<AuditLog> = { record: async (event) => void events.push(event) };
  const context: Partial<ManagementContext> = {
    snapshot: snapshotOf({ settings }),
    ...addresses,
    clock: clockAt(realTime, manualClock(1_000_000)),
    random: systemRandomness,
    outputHooks: noHooks,
    store: store as RuntimeStore,
    audit: audit as AuditLog,
  };
  const request: Partial<ParsedRequest> = {
    method: 'POST',
    headers: {},
    query: new Parameters([]),
    mediaType: 'application/x-www-form-urlencoded',
    form: new Parameters([['client_id', 'tv']]),
  };
  const answered = postDeviceAuthorization(request as ParsedRequest, context as ManagementContext).catch(
    (error: unknown) => error,
  );
  return { answered, grants, events };
}

describe('a pair of device codes', () => {
  verifies('DEV-07', 'is generated again while its codes are in use', async () => {
    const { answered, grants } = begin(['collision', 'collision', 'begun']);
    expect(await answered).to.include({ status: 200 });
    expect(new Set(grants.map(({ user_code }) => user_code)).size).to.equal(3);
    expect(new Set(grants.map(({ device_code }) => device_code)).size).to.equal(3);
  });

  verifies(
    'DEV-07',
    'fails with temporarily_unavailable and the polling interval if no free pair is found',
    async () => {
      for (const outcomes of [[], ['full']] as const) {
        const { answered, events } = begin(outcomes);
        const error = await answered;
        if (!(error instanceof OAuthError)) throw new Error('expected a rejection');
        expect(error).to.include({ error: 'temporarily_unavailable', status: 503 });
        expect(error.headers).to.deep.equal({ 'Retry-After': '8' });
        expect(events.map(({ status, client_id }) => [status, client_id])).to.deep.equal([['failed', 'tv']]);
      }
    },
  );
});
