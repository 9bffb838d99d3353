// A token for a user without a login, for the REST API and the token tester page. With a client it is bound to that
// client. The response then has a refresh token too, except for a client known by a metadata document (RST-06).

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { EffectiveClient, EffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { TokenOptions, TokenSet } from '#shared/engine/tokens/authorization.ts';
import type { TestTokenChanges } from '#shared/engine/tokens/claim-changes.ts';
import { issueUserTokens } from '#shared/engine/tokens/issue-tokens.ts';
import { noRequestedClaims } from '#shared/model/domain/authorization-request.ts';

interface TestTokenOptions {
  readonly lifetimeMinutes?: number | undefined;
  readonly notBefore?: number | undefined;
  readonly extra?: TokenOptions['extra'];
  readonly scope?: readonly string[];
  readonly resource?: readonly string[];
  readonly changes?: TestTokenChanges | undefined;
}

/** Without a scope the response has no scope and no ID token (RST-05). */
export async function issueTestToken(
  { user, instanceId: userInstance }: Pick<EffectiveUser, 'user' | 'instanceId'>,
  client: EffectiveClient | undefined,
  { lifetimeMinutes, notBefore, extra = {}, scope = [], resource = [], changes }: TestTokenOptions,
  context: Pick<ProtocolContext, 'snapshot' | 'issuer' | 'signer' | 'clock' | 'random'>,
): Promise<TokenSet> {
  const spendable = client !== undefined && client.origin !== 'cimd';
  return await issueUserTokens(
    {
      user,
      client: client?.client,
      userInstance,
      clientInstance: client?.instanceId,
      scope,
      resource,
      claims: noRequestedClaims,
      authenticatedAt: context.clock.now(),
      amr: undefined,
      nonce: undefined,
      family: context.random.token(),
      refresh: spendable ? { scope, resource } : undefined,
    },
    { lifetimeMinutes, notBefore, extra, changes },
    context,
  );
}
