// The claims of a client assertion (VER-K45), and whether the client's keys can verify it (VER-K46).
import { decodedIn, memberOf, ofEndpoints, parameter, shown } from '../client-history.ts';
import { occasionsAt, type VerdictRule } from '../verdict-rule.ts';

const authenticating = ofEndpoints(
  'token',
  'pushed_authorization_request',
  'introspect',
  'revoke',
  'device_authorization',
);

export const clientAssertionRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K45',
    id: 'assertion_for_token_endpoint',
    severity: 'advice',
    title: 'Client assertion addressed to an endpoint',
    standard: {
      reference: 'FAPI 2.0 Security Profile §5.3.3',
      link: 'https://openid.net/specs/fapi-security-profile-2_0-final.html',
    },
    remedy: 'Use the issuer as the only aud of a client assertion, so that no other server can use it.',
    occasions: occasionsAt(authenticating, (request) => {
      if (parameter(request, 'client_assertion') === undefined) return 'none';
      const claims = decodedIn(request, 'parameters', 'client_assertion')?.jwt?.claims;
      const audiences = [memberOf(claims, 'aud')].flat().filter((one) => typeof one === 'string');
      if (audiences.length === 0) return 'none';
      const endpoint = audiences.find((audience) => isEndpoint(audience));
      return endpoint === undefined ? undefined : { detail: `The aud of the assertion is ${shown(endpoint)}.` };
    }),
  },
  {
    clause: 'VER-K46',
    id: 'client_keys_unusable',
    severity: 'error',
    title: 'Client key set without a usable key',
    standard: { reference: 'RFC 7517 §4', link: 'https://www.rfc-editor.org/rfc/rfc7517#section-4' },
    remedy: 'Publish the key that verifies the assertions, with use sig and an algorithm that discovery lists.',
    occasions: occasionsAt(authenticating, (request) => {
      if (request.refusal === 'client_keys_unusable') return { detail: `${request.reason}.` };
      return parameter(request, 'client_assertion') === undefined ? 'none' : undefined;
    }),
  },
];

/** The issuer of this server never ends like this, with any path. */
function isEndpoint(audience: string): boolean {
  return /\/(?:token|par|introspect|revoke|device_authorization)$/.test(audience);
}
