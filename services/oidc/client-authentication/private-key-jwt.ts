// private_key_jwt: an assertion that the client signed with a key of its own (OIDC Core §9, RFC 7523 §3, SSO-50).
import { instant } from '#shared/base/clock.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { endpointAddresses } from '#shared/model/oauth-rules/endpoint-addresses.ts';
import { assertionAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { ClientJwtRefusedError, ClientKeysUnusableError, verifyClientJwt } from '../client-documents/client-keys.ts';
import type { ClientAuthenticationMethod, ClientSurface } from './method.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The audiences that an assertion may have: the issuer or /token, and at /par also that endpoint (RFC 9126 §2). */
function audiences(surface: ClientSurface, context: ProtocolContext): string[] {
  const endpoints = surface === 'par' ? (['/token', '/par'] as const) : (['/token'] as const);
  return [context.issuer, ...endpoints.flatMap((endpoint) => endpointAddresses(endpoint, context))];
}

/** The last time that a Date can hold: an exp has no upper limit. */
const latestMoment = 8.64e15;

export const privateKeyJwt = {
  name: 'private_key_jwt',
  isUsed: ({ form }) => form.value('client_assertion') !== undefined,
  async prove({ form }, client, context, surface) {
    if (form.value('client_assertion_type') !== assertionType) {
      return { problem: `client_assertion_type must be ${assertionType}` };
    }
    const { client_id: issuer } = client;
    try {
      const options = {
        algorithms: [...assertionAlgorithms],
        issuer,
        subject: issuer,
        audience: audiences(surface, context),
        requiredClaims: ['exp', 'jti'],
      };
      const { jti, exp } = await verifyClientJwt(form.value('client_assertion') ?? '', client, options, context);
      if (typeof jti !== 'string' || exp === undefined) return { problem: 'its jti is not a string' };
      // Last, so that a rejected assertion is not used up.
      const expiresAt = instant(Math.min(Math.floor(exp) * 1000, latestMoment));
      const isFirst = await context.store.tokenState.useAssertion(JSON.stringify([issuer, jti]), expiresAt);
      return isFirst ? 'right' : { problem: 'its jti was already used' };
    } catch (error) {
      if (error instanceof ClientKeysUnusableError) return { unusable: error.message };
      if (error instanceof ClientJwtRefusedError) return { problem: error.message };
      throw error;
    }
  },
} as const satisfies ClientAuthenticationMethod;
