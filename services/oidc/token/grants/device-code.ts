// Polling for a device code (RFC 8628 §3.4 and §3.5; GRT-19 to GRT-28).

import { hooked } from '#shared/engine/exchange/output-hooks.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import { noRequestedClaims } from '#shared/model/domain/authorization-request.ts';
import type { DeviceGrant } from '#shared/model/domain/device-grant.ts';
import { isSameIdentity } from '#shared/model/domain/runtime-identity.ts';
import { familyOfTypedClaims } from '#shared/model/domain/typed-claims.ts';
import { deviceCodeGrantType } from '#shared/model/oauth-rules/grants.ts';
import { namedResources, narrowResources } from '#shared/model/oauth-rules/resource.ts';
import { permittedScope } from '#shared/model/oauth-rules/scope.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { aboutUser } from '#shared/model/refusals/refusal.ts';
import { type Grant, requiredParameter } from '../grant.ts';

type Approved = Extract<DeviceGrant['decision'], { readonly state: 'approved' | 'used' }>;

export const deviceCodeGrant = {
  type: deviceCodeGrantType,
  async authorize({ form, client, origin, instanceId }, context) {
    if (origin === 'cimd') {
      throw oauthError(tokenRefusals.device_grant_of_metadata_document);
    }
    const deviceCode = requiredParameter(form, 'device_code');
    const grant = await context.store.deviceGrants.findByDeviceCode(deviceCode, context.clock.now());
    if (grant === undefined) throw oauthError(tokenRefusals.device_code_unknown);
    if (grant.client_id !== client.client_id) {
      const details = { bound_client: grant.client_id };
      throw oauthError(tokenRefusals.device_code_of_another_client, undefined, { details });
    }
    // The client was created under the name of the deleted one that requested the code (RUN-14).
    if (!isSameIdentity(grant.clientInstance, instanceId)) {
      throw oauthError(tokenRefusals.device_code_of_another_client);
    }
    const approved = await decisionOf(await hooked(grant, context.outputHooks.deviceGrant), context);

    const { username, clientInstance, userInstance, claims } = approved;
    // The client was created under the name of the deleted one that the user approved (RUN-14).
    if (!isSameIdentity(clientInstance, instanceId)) {
      throw oauthError(tokenRefusals.device_code_of_another_client, undefined, { username });
    }
    const user = await findEffectiveUser(context.snapshot, context.store, username);
    if (user === undefined || !isSameIdentity(userInstance, user.instanceId)) {
      throw oauthError(tokenRefusals.device_user_gone, undefined, { username });
    }
    const { permitted, resource } = aboutUser(username, () => ({
      permitted: permittedScope(grant.scope, client, context.snapshot),
      resource: narrowResources(namedResources(form, context.snapshot.settings), grant.resource, client),
    }));

    const now = context.clock.now();
    const family = familyOfTypedClaims(context.random.token(), claims);
    const typed = claims && { name: family, claims, until: latestExpiry(context.snapshot.settings, now, client) };
    const outcome = await context.store.deviceGrants.redeem(deviceCode, now, typed);
    if (outcome !== 'redeemed') throw oauthError(tokenRefusals.device_code_used, undefined, { username });
    const { granted: scope, ignored } = permitted;
    return {
      subject: 'user',
      ignored,
      authorization: {
        user: user.user,
        client,
        userInstance: user.instanceId,
        clientInstance: instanceId,
        scope,
        resource,
        claims: noRequestedClaims,
        login: claims,
        authenticatedAt: approved.authenticatedAt,
        amr: approved.amr,
        nonce: undefined,
        family,
        refresh: { scope, resource: grant.resource },
      },
    };
  },
  async readFacts(form, { store, clock }) {
    const code = form.value('device_code');
    const grant = code === undefined ? undefined : await store.deviceGrants.findByDeviceCode(code, clock.now());
    if (grant === undefined) return {};
    const { decision, scope } = grant;
    return { username: 'username' in decision ? decision.username : undefined, scope };
  },
} as const satisfies Grant;

/** The approval, if it can be redeemed. Every other state has its own error. */
async function decisionOf(grant: DeviceGrant, { store, snapshot, clock }: ProtocolContext): Promise<Approved> {
  const now = clock.now();
  if (now >= grant.expiresAt) {
    throw oauthError(tokenRefusals.device_code_expired);
  }
  switch (grant.decision.state) {
    case 'approved':
      return grant.decision;
    case 'used':
      throw oauthError(tokenRefusals.device_code_used, undefined, { username: grant.decision.username });
    case 'denied':
      throw oauthError(tokenRefusals.device_denied);
    case 'pending':
      if (snapshot.rules.enforceDevicePollingInterval) {
        const pace = await store.deviceGrants.notePoll(grant.device_code, now);
        if (pace === 'slow_down') {
          throw oauthError(tokenRefusals.device_polled_too_soon);
        }
      }
      throw oauthError(tokenRefusals.device_pending);
  }
}
