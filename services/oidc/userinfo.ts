// GET and POST /userinfo (OIDC Core §5.3, section UIN): the claims of the user that an access token may read.

import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { type Document, documentReply, signedDocumentReply } from '#shared/engine/exchange/output-hooks.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { findEffectiveClient, findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { userinfoClaims } from '#shared/engine/tokens/userinfo-claims.ts';
import { tokenFamilyOf } from '#shared/engine/tokens/verify-token.ts';
import { unsignedToken } from '#shared/engine/tokens/write-token.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { accessTokenRefusals } from '#shared/model/refusals/families/access-token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { challengingByScheme, checkBinding, type PresentedToken, shownCredentials } from './dpop/bound-token.ts';
import { takesDpop } from './dpop/prove-key.ts';
import { findLiveToken, isClientsOwn, partiesOf, type TokenClaims } from './live-token.ts';
import { typedClaimsOf } from './typed-claims-of.ts';

const auditedAs = { event_type: 'userinfo_request', endpoint: '/userinfo' } as const;

const userinfoEndpoint = audited(auditedAs, async (request, context, note) => {
  const presented = presentedToken(request, context);
  if (!takesDpop(context)) return answer(presented, request, context, note);
  return challengingByScheme(presented.scheme, context, () => answer(presented, request, context, note));
});

async function answer(
  presented: PresentedToken,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<Reply> {
  const token = await findLiveToken(presented.token, context);
  const { claims } = token;
  note.add(partiesOf(claims));
  if (typeof claims?.token_use === 'string') note.onRejection({ token_use: claims.token_use });
  if (!token.live) throw token.refused;
  const client = await clientOf(token.claims, context);
  checkUse(token.claims, token.use, client, context);
  if (takesDpop(context)) await checkBinding(presented, token.claims, request, context);
  const body = await bodyFor(token.claims, client, context);
  note.succeeded();
  return client?.userinfo_signed_response_alg === undefined
    ? documentReply(200, body, context.outputHooks)
    : signedReply(body, client, context);
}

export const userinfoRoutes: readonly Route[] = [
  {
    path: '/userinfo',
    faultyAs: 'userinfo',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { GET: userinfoEndpoint, POST: userinfoEndpoint },
    noStore: true,
  },
];

/** The token from the header, or on POST from the form field. Both at once are invalid (UIN-03). */
function presentedToken({ method, headers, form }: ParsedRequest, context: ProtocolContext): PresentedToken {
  const shown = shownCredentials(headers.authorization, context);
  const inForm = method === 'POST' ? form.value('access_token') : undefined;
  if (form.count('access_token') > 1 || (shown.kind !== 'absent' && inForm !== undefined)) {
    throw oauthError(accessTokenRefusals.access_token_repeated);
  }
  if (shown.kind === 'malformed') throw oauthError(accessTokenRefusals.bearer_header_malformed);
  if (shown.kind === 'token') return shown;
  return { token: inForm, scheme: inForm === undefined ? undefined : 'bearer' };
}

/** Accepts only an access token for this server's own audience, or that of its client (UIN-05, UIN-06, CLS-03). */
function checkUse(claims: TokenClaims, use: string, client: Client | undefined, { snapshot }: ProtocolContext): void {
  if (use !== 'access') throw oauthError(accessTokenRefusals.token_not_an_access_token, { use });
  const { aud } = claims;
  const { audience } = snapshot.settings.oauth;
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if ([audience, ...(client?.audience ?? [])].some((own) => named.includes(own))) return;
  throw oauthError(accessTokenRefusals.token_of_another_audience, { sent: aud, expected: audience });
}

/** UserInfo as a JWT for this client (OIDC Core §5.3.2, SSO-54). */
function signedReply(body: Document, client: Client, { issuer, signer, outputHooks }: ProtocolContext): Promise<Reply> {
  const sign = async (document: Document) => {
    const key = await signer.signingKey();
    const claims = { ...document, iss: issuer, aud: client.client_id };
    return signer.signToken(unsignedToken('id', claims, key), key);
  };
  return signedDocumentReply(body, sign, outputHooks);
}

/** The client of the token. undefined: the token was issued without a client, or the client was deleted. */
async function clientOf(
  { client_id: clientId }: TokenClaims,
  { snapshot, store, clock }: ProtocolContext,
): Promise<Client | undefined> {
  if (typeof clientId !== 'string') return undefined;
  return (await findEffectiveClient(snapshot, store, clientId, clock.now()))?.client;
}

async function bodyFor(claims: TokenClaims, client: Client | undefined, context: ProtocolContext): Promise<Document> {
  const { snapshot, store } = context;
  const sub = typeof claims.sub === 'string' ? claims.sub : '';
  if (isClientsOwn(claims)) return { sub };
  const user = (await findEffectiveUser(snapshot, store, sub))?.user;
  if (user === undefined) return { sub };
  const login = await typedClaimsOf(tokenFamilyOf(claims), context);
  if (login === 'gone') throw oauthError(accessTokenRefusals.token_claims_gone);
  return userinfoClaims({ user, client, login }, claims, snapshot);
}
