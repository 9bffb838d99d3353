// Polling for a device code (RFC 8628 §3.4 and §3.5; GRT-19 to GRT-28).

import { noRequestedClaims } from '#shared/domain/authorization-request.ts';
import type { DeviceGrant } from '#shared/domain/device-grant.ts';
import { findEffectiveUser } from '#shared/domain/effective-identities.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { deviceCodeGrantType } from '#shared/protocol/oauth2/grant-types.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { narrowResources } from '#shared/protocol/oauth2/resource.ts';
import { checkScope } from '#shared/protocol/oauth2/scope.ts';
import { AuditedRefusal, aboutUser } from '../audited-refusal.ts';
import { type Grant, requiredParameter } from '../grant.ts';

type Approved = Extract<DeviceGrant['decision'], { readonly state: 'approved' | 'used' }>;

export const deviceCodeGrant: Grant = {
  type: deviceCodeGrantType,
  async authorize({ form, client, origin }, context) {
    if (origin === 'cimd') {
      throw new OAuthError(
        'unauthorized_client',
        'A client identified by a metadata document cannot use the device grant.',
      );
    }
    const deviceCode = requiredParameter(form, 'device_code');
    const grant = await context.store.deviceGrants.findByDeviceCode(deviceCode, context.clock.now());
    if (grant === undefined) throw unusable('Unknown device_code');
    if (grant.client_id !== client.client_id) {
      throw unusable('The device_code was issued to another client', { bound_client: grant.client_id });
    }
    const approved = await decisionOf(grant, context);

    const { username } = approved;
    const user = await findEffectiveUser(context.snapshot, context.store, username);
    if (user === undefined) {
      throw new AuditedRefusal('invalid_grant', 'The user who approved this no longer exists.', { username });
    }
    const resource = aboutUser(username, () => {
      checkScope(grant.scope, client, context.snapshot);
      return narrowResources(form.values('resource'), grant.resource, client);
    });

    const outcome = await context.store.deviceGrants.redeem(deviceCode, context.clock.now());
    if (outcome !== 'redeemed') throw unusable('The device_code was used before', {}, username);
    return {
      subject: 'user',
      authorization: {
        user: user.user,
        client,
        scope: grant.scope,
        resource,
        claims: noRequestedClaims,
        authenticatedAt: approved.authenticatedAt,
        amr: approved.amr,
        nonce: undefined,
        family: context.random.token(),
        refresh: { scope: grant.scope, resource: grant.resource },
      },
    };
  },
};

/** The approval, when it is there to be redeemed; every other state is an answer of its own. */
async function decisionOf(grant: DeviceGrant, { store, snapshot, clock }: RequestContext): Promise<Approved> {
  const now = clock.now();
  if (now >= grant.expiresAt) {
    throw new OAuthError('expired_token', "'device_code' is past its time; begin the device flow anew.");
  }
  switch (grant.decision.state) {
    case 'approved':
      return grant.decision;
    case 'used':
      throw unusable('The device_code was used before', {}, grant.decision.username);
    case 'denied':
      throw new OAuthError('access_denied', 'The user denied the request.');
    case 'pending':
      if (snapshot.rules.enforceDevicePollingInterval) {
        const pace = await store.deviceGrants.notePoll(grant.device_code, now);
        if (pace === 'slow_down') {
          throw pending('slow_down', 'Polled sooner than the interval allows; wait 5 seconds longer between polls.');
        }
      }
      throw pending('authorization_pending', 'The user has not decided yet; poll again after the interval.');
  }
}

/** Pending polls leave no audit entry (AUD-14). */
function pending(error: 'authorization_pending' | 'slow_down', description: string): AuditedRefusal {
  return new AuditedRefusal(error, description, { unrecorded: true });
}

function unusable(reason: string, details: Readonly<Record<string, unknown>> = {}, username?: string): AuditedRefusal {
  return new AuditedRefusal(
    'invalid_grant',
    "'device_code' is unknown, already used or was issued to another client; begin the device flow anew.",
    { reason, details, username },
  );
}
