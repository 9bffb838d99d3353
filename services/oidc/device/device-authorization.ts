// POST /device_authorization and its alias /device/code: a device requests a pair of codes (RFC 8628 §3.1, DEV-01 to
// DEV-07). Approval happens at /device, the tokens come from /token.
import { plusSeconds } from '#shared/base/clock.ts';
import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { deviceVerificationAddress } from '#shared/engine/exchange/issuer.ts';
import { documentReply } from '#shared/engine/exchange/output-hooks.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { refuseDoubledParameters } from '#shared/model/oauth-rules/doubled-parameter.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { checkResources, ignoredParameters, namedResources } from '#shared/model/oauth-rules/resource.ts';
import { ignoredScopes, resolveScope } from '#shared/model/oauth-rules/scope.ts';
import { deviceAuthorizationRefusals } from '#shared/model/refusals/families/device.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { singleParametersOf } from '#shared/model/secrets/known-parameters.ts';
import { drawUserCode } from '#shared/protocol/oauth2/user-code.ts';
import { authenticateClient } from '../client-authentication/authenticate-client.ts';
import { claimedClientId } from '../client-authentication/presented-credentials.ts';
import { requireForm } from '../require-form.ts';

/** How many pairs of codes are generated before giving up (DEV-07). */
const attemptsMax = 10;

const singleParameters = singleParametersOf('client', 'device_authorization');

export const postDeviceAuthorization = audited(
  { event_type: 'device_authorization_request', endpoint: '/device_authorization' },
  async (request, context, note) => {
    note.add({
      client_id: claimedClientId(request),
      details: ignoredParameters(request.form, context.snapshot.settings),
    });
    requireForm(request);
    refuseDoubledParameters(request.form, singleParameters);
    refuseNul(request.form);
    const { client, instanceId } = await authenticateClient(request, context, 'device_authorization');
    const sent = request.form.value('scope');
    const { granted: scope, ignored } = resolveScope(sent, 'restriction_or_openid', client, context.snapshot);
    const resource = checkResources(namedResources(request.form, context.snapshot.settings), client);
    note.add({ details: ignoredScopes(ignored) });
    return beginGrant({ client, instanceId, scope, resource }, context, note);
  },
);

interface GrantRequest {
  readonly client: EffectiveClient['client'];
  readonly instanceId: string | undefined;
  readonly scope: readonly string[];
  readonly resource: readonly string[];
}

async function beginGrant(grantRequest: GrantRequest, context: ProtocolContext, note: AuditNote) {
  const { client, scope } = grantRequest;
  const { device_flow, oauth } = context.snapshot.settings;
  const { deviceCode, userCode } = await storeGrant(grantRequest, context);
  note.succeeded({ client_id: client.client_id, details: { user_code: userCode, scope: scope.join(' ') } });
  const verificationUri = deviceVerificationAddress(oauth, context);
  const answer = {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: device_flow.code_expiry_seconds,
    interval: device_flow.polling_interval,
  };
  return documentReply(200, answer, context.outputHooks);
}

async function storeGrant(
  { client, instanceId, scope, resource }: GrantRequest,
  { snapshot, store, clock, random }: ProtocolContext,
) {
  const { code_expiry_seconds, polling_interval } = snapshot.settings.device_flow;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const now = clock.now();
    const deviceCode = random.token();
    const userCode = drawUserCode((bound) => random.integerBelow(bound));
    const outcome = await store.deviceGrants.begin(
      {
        device_code: deviceCode,
        user_code: userCode,
        client_id: client.client_id,
        ...(instanceId === undefined ? {} : { clientInstance: instanceId }),
        scope,
        resource,
        createdAt: now,
        expiresAt: plusSeconds(now, code_expiry_seconds),
        intervalSeconds: polling_interval,
        decision: { state: 'pending' },
      },
      now,
    );
    if (outcome === 'begun') return { deviceCode, userCode };
    if (outcome === 'full') break;
  }
  const headers = { 'Retry-After': String(polling_interval) };
  throw oauthError(deviceAuthorizationRefusals.too_many_device_codes, undefined, { headers });
}
