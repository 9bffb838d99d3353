// How a client authenticates (VER-K15 to VER-K17).
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { rfc } from '#shared/model/refusals/references.ts';
import { type ClientHistory, header, inQuery, ofEndpoints, partsOf } from '../client-history.ts';
import { occasionsAt, type VerdictRule } from '../verdict-rule.ts';

const authenticates = ofEndpoints(
  ...(['token', 'introspect', 'revoke', 'device_authorization', 'pushed_authorization_request'] as const),
);

export const clientAuthenticationRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K15',
    id: 'secret_in_query',
    severity: 'error',
    title: 'Client secret in a URL',
    standard: rfc(6749, '2.3.1'),
    remedy:
      'Send the secret in the Authorization header or in the body, because URLs end up in logs. Then change the secret.',
    occasions: occasionsAt(anyRequest, (request) =>
      inQuery(request, 'client_secret')
        ? { detail: `The request to ${request.path} has client_secret in its query.` }
        : presents(request)
          ? undefined
          : 'none',
    ),
  },
  {
    clause: 'VER-K16',
    id: 'secret_in_both',
    severity: 'error',
    title: 'Two client authentication methods in one request',
    standard: rfc(6749, '2.3'),
    remedy: 'Send the credentials only with the method that the client is registered with.',
    occasions: occasionsAt(authenticates, (request) => {
      const inBody = ['client_secret', 'client_assertion'].filter((name) => isInBody(request, name));
      if (!hasBasic(request)) return inBody.length === 0 ? 'none' : undefined;
      return inBody.length === 0
        ? undefined
        : { detail: `The request has credentials in its Authorization header and ${inBody.join(', ')} in its body.` };
    }),
  },
  {
    clause: 'VER-K17',
    id: 'wrong_auth_method',
    severity: 'error',
    title: 'Client authentication method differs from the registered one',
    standard: rfc(7591, '2'),
    remedy: 'Set token_endpoint_auth_method to the same value in the client and in its registration.',
    occasions: occasionsAt(authenticates, (request, { client }) => {
      const { refusal, decision, reason } = request;
      if (refusal !== undefined && differing.has(refusal)) {
        return {
          detail: reason === undefined ? 'The method is not the registered one.' : `${reason.replace(/\.$/, '')}.`,
        };
      }
      // The registration was not considered, because another error came first.
      if (refusal !== undefined && /^(client_|basic_|form_required|introspection_by)/.test(refusal)) return 'none';
      if (decision === 'refused' && request.status === 405) return 'none';
      return client?.isPublic === true && presentsSecret(request)
        ? { detail: 'The client is registered without a secret but sent one.' }
        : undefined;
    }),
  },
];

const differing: ReadonlySet<string> = new Set([
  'client_authentication_method_differs',
  'public_client_sent_credentials',
]);

function anyRequest({ exchanges }: ClientHistory): readonly KeptExchange[] {
  return exchanges;
}

function presents(request: KeptExchange): boolean {
  return hasBasic(request) || isInBody(request, 'client_secret');
}

/** An empty secret counts as absent (CLT-05): such a header only names the client. */
function presentsSecret(request: KeptExchange): boolean {
  const isEmpty = request.content.noticed?.basicSecret === 'empty';
  return (hasBasic(request) && !isEmpty) || isInBody(request, 'client_secret');
}

function hasBasic(request: KeptExchange): boolean {
  return header(request, 'authorization')?.toLowerCase().startsWith('basic ') === true;
}

function isInBody(request: KeptExchange, parameterName: string): boolean {
  return partsOf(request).body.some(({ name, value }) => name === parameterName && value !== '');
}
