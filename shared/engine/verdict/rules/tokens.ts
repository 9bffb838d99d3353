// How a client uses codes and tokens (VER-K18 to VER-K23).
import type { Decoded, KeptExchange } from '#shared/model/domain/exchange.ts';
import { isRotation } from '#shared/model/domain/refresh-family.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { oidc, rfc } from '#shared/model/refusals/references.ts';
import type { OAuthErrorCode } from '#shared/protocol/oauth2/error-codes.ts';
import {
  answered,
  type ClientHistory,
  decodedIn,
  header,
  inQuery,
  memberOf,
  ofEndpoints,
  parameter,
  tokenRequests,
} from '../client-history.ts';
import { type Occasion, occasionsAt, type VerdictRule } from '../verdict-rule.ts';

/** A client that got a 5xx response cannot know whether its code was redeemed, and may retry once (VER-K18). */
const retryMilliseconds = 2000;

/**
 * Rejections before the code is checked, which leave the code valid. After a request for a DPoP nonce the client has to
 * send the same code again.
 */
const beforeTheCode: ReadonlySet<string | undefined> = new Set([
  'invalid_client',
  'invalid_dpop_proof',
  'use_dpop_nonce',
] satisfies OAuthErrorCode[]);

const userinfo = ofEndpoints('userinfo');

export const tokenRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K18',
    id: 'code_reused',
    severity: 'error',
    title: 'Authorization code presented twice',
    standard: rfc(6749, '4.1.2'),
    remedy:
      'Redeem each code once. Do not send it again when the callback page reloads, in a second effect or in a retry.',
    occasions: (history) => {
      const former = new Map<string, KeptExchange>();
      const occasions: Occasion[] = [];
      for (const at of tokenRequests(history)) {
        const code = parameter(at, 'code');
        if (code === undefined || at.grantType !== 'authorization_code') continue;
        if (beforeTheCode.has(answered(at, 'error')) || at.refusal === dpopRefusals.dpop_proof_missing.code) continue;
        const before = former.get(code);
        former.set(code, at);
        if (before === undefined || mayRetry(before, at)) occasions.push({ at });
        else
          occasions.push({
            at,
            breach: { detail: 'The client sent the same authorization code to /token again.', beside: [before] },
          });
      }
      return occasions;
    },
  },
  {
    clause: 'VER-K19',
    id: 'token_in_query',
    severity: 'error',
    title: 'Access token in a URL',
    standard: rfc(9700, '4.3.2'),
    remedy: 'Send it as Authorization: Bearer, because URLs end up in logs, histories and Referer headers.',
    occasions: occasionsAt(
      ({ exchanges }) => exchanges,
      (request) => {
        if (inQuery(request, 'access_token')) {
          return { detail: `The request to ${request.path} has access_token in its query.` };
        }
        if (isAboutAccessToken(request)) {
          return inQuery(request, 'token')
            ? { detail: `The request to ${request.path} has an access token in its query, as token.` }
            : undefined;
        }
        return request.endpoint === 'userinfo' && presentedToken(request) !== undefined ? undefined : 'none';
      },
    ),
  },
  {
    clause: 'VER-K20',
    id: 'wrong_token_used',
    severity: 'error',
    title: 'Bearer token that is not an access token',
    standard: oidc('5.3.1'),
    remedy:
      'Send the access_token of the token response to /userinfo and to APIs. The ID token is only for the client.',
    occasions: (history) => {
      const uses = usesOfTokens(history);
      return userinfo(history).flatMap((at): Occasion[] => {
        const presented = presentedToken(at);
        if (presented === undefined) return [];
        const use = uses.get(presented);
        if (use !== undefined) {
          const [what, issued] = use;
          return [{ at, breach: { detail: `The client sent ${what} to /userinfo.`, beside: [issued] } }];
        }
        const isOther = at.refusal === 'token_not_an_access_token';
        return [
          { at, breach: isOther ? { detail: 'The client sent a token with another use to /userinfo.' } : undefined },
        ];
      });
    },
  },
  {
    clause: 'VER-K21',
    id: 'grant_deprecated',
    severity: 'error',
    title: 'Use of the password grant',
    standard: rfc(9700, '2.4'),
    remedy: "Use the authorization code flow with PKCE. An application must not see its user's password.",
    occasions: occasionsAt(tokenRequests, ({ grantType }) =>
      grantType === 'password' ? { detail: 'The client requested a token with grant_type=password.' } : undefined,
    ),
  },
  {
    clause: 'VER-K22',
    id: 'refresh_reused',
    severity: 'error',
    title: 'Refresh token presented twice',
    standard: rfc(9700, '4.14.2'),
    remedy: 'Replace the stored refresh_token with the one from each response, and refresh in one request at a time.',
    occasions: (history) => {
      const spent = new Map<string, KeptExchange>();
      return tokenRequests(history).flatMap((at): Occasion[] => {
        const token = at.grantType === 'refresh_token' ? parameter(at, 'refresh_token') : undefined;
        if (token === undefined) return [];
        const before = spent.get(token);
        if (before !== undefined) {
          return [
            {
              at,
              breach: {
                detail: 'The client sent a refresh token again after rotation had replaced it.',
                beside: [before],
              },
            },
          ];
        }
        if (at.decision !== 'accepted' || !isRotated(at)) return [];
        spent.set(token, at);
        return [{ at }];
      });
    },
  },
  {
    clause: 'VER-K23',
    id: 'refresh_late',
    severity: 'advice',
    title: 'Expired access token used instead of a refresh',
    standard: rfc(6749, '1.5'),
    remedy: 'Refresh shortly before expires_in has elapsed.',
    occasions: ({ exchanges }) => {
      const issuedIn = new Map<number, KeptExchange>();
      const broughtBy = new Map<string, KeptExchange>();
      return exchanges.flatMap((at): Occasion[] => {
        const issued = issuedIn.get(at.flow);
        const accessToken = answered(at, 'access_token');
        if (accessToken !== undefined) broughtBy.set(accessToken, at);
        if (answered(at, 'refresh_token') !== undefined) issuedIn.set(at.flow, at);
        else if (endsRefreshing(at)) issuedIn.delete(at.flow);
        const expiry = at.endpoint === 'userinfo' ? expiryOf(presentedClaims(at)) : undefined;
        if (expiry === undefined || issued === undefined) return [];
        // A refresh token that has expired cannot be used.
        const end = expiryOf(decodedIn(issued, 'answer', 'refresh_token'));
        if (end !== undefined && at.clock >= end) return [];
        if (at.clock < expiry) return [{ at }];
        const late = 'The client used an access token after its exp, although it had a refresh token.';
        const brought = broughtBy.get(presentedToken(at) ?? '');
        // Counted from the response, as expires_in is.
        const isOver = brought === undefined || at.at - brought.at >= expiry - brought.clock;
        const detail = isOver
          ? late
          : `${late} But this server's clock was moved after the token was issued. In real time, the token had not expired, so a client that counts expires_in could not know.`;
        return [{ at, breach: { detail, beside: [issued] } }];
      });
    },
  },
];

/** Counted from the moment when the client got its response. */
function mayRetry({ status, at, durationMilliseconds }: KeptExchange, next: KeptExchange): boolean {
  const since = next.at - (at + durationMilliseconds);
  // A request before the response is not a retry; both times are rounded.
  return status >= 500 && since >= -1 && since <= retryMilliseconds;
}

/** The token as the recorder shows it, by its fingerprint. */
function presentedToken(request: KeptExchange): string | undefined {
  const [, credential] = /^(?:bearer|dpop) +(\S+)$/i.exec(header(request, 'authorization') ?? '') ?? [];
  return credential ?? parameter(request, 'access_token');
}

/** The values issued to the client that are not access tokens, by fingerprint. */
function usesOfTokens(history: ClientHistory): ReadonlyMap<string, readonly [what: string, issued: KeptExchange]> {
  const uses = new Map<string, readonly [string, KeptExchange]>();
  for (const exchange of history.exchanges) {
    const idToken = answered(exchange, 'id_token');
    const refreshToken = answered(exchange, 'refresh_token');
    if (idToken !== undefined) uses.set(idToken, ['an ID token', exchange]);
    if (refreshToken !== undefined) uses.set(refreshToken, ['a refresh token', exchange]);
  }
  return uses;
}

/** A request whose subject is an access token. */
function isAboutAccessToken(request: KeptExchange): boolean {
  if (request.endpoint !== 'introspect' && request.endpoint !== 'revoke') return false;
  return memberOf(decodedIn(request, 'parameters', 'token')?.jwt?.claims, 'token_use') === 'access';
}

/**
 * Without rotation a refresh issues another refresh token as well (REF-12), and the presented one stays valid (REF-13).
 */
function isRotated(refresh: KeptExchange): boolean {
  const [presented, brought] = (['parameters', 'answer'] as const).map((place) =>
    memberOf(decodedIn(refresh, place, 'refresh_token')?.jwt?.claims, 'jti'),
  );
  return typeof presented === 'string' && typeof brought === 'string' && isRotation(presented, brought);
}

/** The client revoked its refresh token, or was notified that it is no longer valid. */
function endsRefreshing(exchange: KeptExchange): boolean {
  const { endpoint, decision, grantType, content } = exchange;
  if (endpoint !== 'revoke') return grantType === 'refresh_token' && content.answer.error === 'invalid_grant';
  // An access token is revoked alone (REV-02).
  return decision === 'accepted' && !isAboutAccessToken(exchange);
}

function presentedClaims(request: KeptExchange): Decoded | undefined {
  return decodedIn(request, 'request_headers', 'authorization') ?? decodedIn(request, 'parameters', 'access_token');
}

/** In milliseconds, from the token's claims. */
function expiryOf(token: Decoded | undefined): number | undefined {
  const expiry = memberOf(token?.jwt?.claims, 'exp');
  return typeof expiry === 'number' ? expiry * 1000 : undefined;
}
