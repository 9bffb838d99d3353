// The redirect URI of a login (VER-K11 to VER-K14, SHV-01).

import { isLoopbackName } from '#shared/base/loopback.ts';
import type { KeptExchange, RedirectUriLeniency } from '#shared/model/domain/exchange.ts';
import { rfc } from '#shared/model/refusals/references.ts';
import { authorizationRequests, parameter, shown, tokenRequests } from '../client-history.ts';
import { type Judgement, occasionsAt, type VerdictRule } from '../verdict-rule.ts';

export const redirectUriRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K11',
    id: 'redirect_uri_http',
    severity: 'error',
    title: 'Redirect URI without TLS',
    standard: rfc(9700, '2.6'),
    remedy: 'Use an https address. http is only for loopback addresses.',
    occasions: occasionsAt(authorizationRequests, (request) =>
      ofRedirectUri(request, (uri) => isPlainHttp(uri), 'uses http with a host that is not loopback'),
    ),
  },
  {
    clause: 'VER-K12',
    id: 'redirect_uri_localhost',
    severity: 'advice',
    title: 'Redirect URI with the name localhost',
    standard: rfc(8252, '8.3'),
    remedy: 'Use 127.0.0.1 or [::1], because a name can resolve to another address.',
    occasions: occasionsAt(authorizationRequests, (request) =>
      ofRedirectUri(request, ({ hostname }) => hostname === 'localhost', 'has localhost instead of a loopback address'),
    ),
  },
  {
    clause: 'VER-K13',
    id: 'redirect_uri_fragment',
    severity: 'error',
    title: 'Redirect URI with a fragment',
    standard: rfc(6749, '3.1.2'),
    remedy: 'Register and send the address without a fragment.',
    occasions: occasionsAt(authorizationRequests, (request) =>
      ofRedirectUri(request, ({ href }) => href.includes('#'), 'has a fragment'),
    ),
  },
  {
    clause: 'VER-K14',
    id: 'redirect_uri_mismatch',
    severity: 'error',
    title: 'Different redirect_uri at /token than at /authorize',
    standard: rfc(6749, '4.1.3'),
    remedy: 'Store the redirect_uri of the authorization request, and send the same one to /token.',
    occasions: (history) => {
      const begun = new Map(authorizationRequests(history).map((request) => [request.flow, request]));
      return tokenRequests(history).flatMap((at) => {
        const sent = at.grantType === 'authorization_code' ? parameter(at, 'redirect_uri') : undefined;
        const request = begun.get(at.flow);
        const requestedUri = request && parameter(request, 'redirect_uri');
        if (sent === undefined || request === undefined || requestedUri === undefined) return [];
        if (sent === requestedUri) return [{ at }];
        // A secret in the address is shown as a fingerprint at /token, but not in a request object.
        if (hasFingerprint(sent) && !hasFingerprint(requestedUri)) return [];
        const detail = `/token got the redirect_uri ${shown(sent)}, but ${request.path} got ${shown(requestedUri)}.`;
        return [{ at, breach: { detail, beside: [request] } }];
      });
    },
  },
  {
    clause: 'SHV-01',
    id: 'redirect_uri_not_exact',
    severity: 'warning',
    title: 'Redirect URI that only the profile dev accepts',
    standard: rfc(9700, '4.1.3'),
    remedy:
      'Register each redirect URI exactly. A native application uses 127.0.0.1 or [::1], or a reversed domain name as scheme (RFC 8252 §7.1).',
    occasions: occasionsAt(authorizationRequests, (request) => {
      const sent = parameter(request, 'redirect_uri');
      if (sent === undefined) return 'none';
      const because = request.content.noticed?.redirectUri ?? [];
      // A rejected request without such a fact may have been rejected before its redirect URI was compared.
      if (because.length === 0) return request.decision === 'refused' ? 'none' : undefined;
      const why = because.map((one) => leniencies[one]).join(' and ');
      return { detail: `Other providers can reject the redirect_uri ${shown(sent)}: ${why}.` };
    }),
  },
];

const leniencies: Readonly<Record<RedirectUriLeniency, string>> = {
  localhost_port: 'the registered one has localhost with another port',
  scheme_without_period: 'its scheme has no period',
  pattern: 'it matches only a pattern',
};

function hasFingerprint(address: string): boolean {
  return /=fp:[0-9a-f]{12}/.test(address);
}

function ofRedirectUri(request: KeptExchange, isWrong: (uri: URL) => boolean, how: string): Judgement {
  const sent = parameter(request, 'redirect_uri');
  if (sent === undefined || !URL.canParse(sent)) return 'none';
  return isWrong(new URL(sent)) ? { detail: `The redirect_uri ${shown(sent)} ${how}.` } : undefined;
}

export function isPlainHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopbackName(hostname) && !hostname.endsWith('.localhost');
}
