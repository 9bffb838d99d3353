// The claims that tokens and UserInfo would contain for a user, a client and a scope: on the page /claims, and for
// programs at /claims/preview/<username> (WEB-16, PCL-28). Nothing is signed. Claims that differ from token to token
// are left out.

import type { Parameters } from '#shared/base/parameters.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient, findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import { accessTokenClaims, idTokenClaims, type TokenFrame } from '#shared/engine/tokens/token-claims.ts';
import { userinfoClaims } from '#shared/engine/tokens/userinfo-claims.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { noRequestedClaims } from '#shared/model/domain/authorization-request.ts';
import { parseScope } from '#shared/model/oauth-rules/scope.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { Field } from '#shared/web/pages/components/field.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { Tags } from '#shared/web/pages/components/tag.tsx';

/** GET /claims/preview/<username> for programs. */
export async function previewClaims(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const query = await asking(request.pathParameters.username ?? '', request.query, context);
  if (query.user === undefined) return json(404, { error: 'This user does not exist.' });
  if (query.client === 'unknown') return json(404, { error: 'This client does not exist.' });
  const preview = previewOf({ ...query, user: query.user, client: query.client }, context);
  return json(200, preview, { 'Cache-Control': 'no-cache, private' });
}

/** The card below the prefixes, with content when the query names a user. */
export async function claimsPreview({ query }: ParsedRequest, context: ProtocolContext) {
  const username = query.value('username');
  const parameters = username === undefined ? undefined : await asking(username, query, context);
  const unknownUser = parameters !== undefined && parameters.user === undefined;
  return (
    <Card
      title="Preview"
      lead={
        <>
          The claims that tokens and UserInfo contain for a user. <OwnLink href="/settings">Settings</OwnLink> decide
          which claims appear where.
        </>
      }
    >
      <OwnForm method="get" action="/claims" class="inline-form">
        <Field
          name="username"
          label="User"
          value={username ?? ''}
          error={unknownUser ? 'This user does not exist.' : undefined}
          autoComplete="off"
          spellcheck={false}
          required
        />
        <Field
          name="client_id"
          label="Client"
          value={query.value('client_id') ?? ''}
          error={parameters?.client === 'unknown' ? 'This client does not exist.' : undefined}
          autoComplete="off"
          spellcheck={false}
        />
        <Field
          name="scope"
          label="Scope"
          value={query.value('scope') ?? ''}
          placeholder="all scopes"
          autoComplete="off"
          spellcheck={false}
        />
        <Button kind="secondary">Show</Button>
      </OwnForm>
      {parameters?.user !== undefined && parameters.client !== 'unknown' && (
        <Shown {...previewOf({ ...parameters, user: parameters.user, client: parameters.client }, context)} />
      )}
    </Card>
  );
}

function Shown({ authorities, claims, access_token, id_token, userinfo }: Preview) {
  const blocks = { claims, access_token, id_token, userinfo };
  return (
    <>
      {authorities.length === 0 ? (
        <p class="soft">No authorities, so tokens have no such claim.</p>
      ) : (
        <Tags values={authorities} kind="accent" />
      )}
      {Object.entries(blocks).map(([name, value]) => (
        <CodeBlock
          key={name}
          id={`preview-${name}`}
          title={titles[name] ?? name}
          text={value === undefined ? 'No ID token without the scope openid' : JSON.stringify(value, null, 2)}
        />
      ))}
    </>
  );
}

const titles: Readonly<Record<string, string>> = {
  claims: 'Entry of the user',
  access_token: 'Access token',
  id_token: 'ID token',
  userinfo: 'UserInfo',
};

interface Asked {
  readonly user: User | undefined;
  readonly client: Client | 'unknown' | undefined;
  readonly scope: readonly string[];
}

/** Without a scope: every scope that the client may have. */
async function asking(
  username: string,
  query: Parameters,
  { snapshot, store, clock }: ProtocolContext,
): Promise<Asked> {
  const clientId = query.value('client_id');
  const found = clientId === undefined ? undefined : await findEffectiveClient(snapshot, store, clientId, clock.now());
  const client = clientId === undefined ? undefined : (found?.client ?? 'unknown');
  const restriction = typeof client === 'object' ? client.scopes : [];
  const scope = query.value('scope');
  const everyScope = restriction.length > 0 ? restriction : snapshot.settings.oauth.scopes_supported;
  return {
    user: (await findEffectiveUser(snapshot, store, username))?.user,
    client,
    scope: scope === undefined ? everyScope : parseScope(scope),
  };
}

type Preview = ReturnType<typeof previewOf>;

function previewOf(
  { user, client, scope }: { user: User; client: Client | undefined; scope: readonly string[] },
  { snapshot, issuer, clock }: ProtocolContext,
) {
  const { settings } = snapshot;
  const { identity_class, entitlements, roles, groups, tenant, source_acl, attributes, claims } = user;
  const authorization = {
    ...{ user, client, scope, resource: [], claims: noRequestedClaims, family: '', refresh: undefined },
    ...{ authenticatedAt: clock.now(), amr: undefined, nonce: undefined },
  };
  const frame: TokenFrame = { issuer, issuedAt: 0, expiresAt: 0, jti: '' };
  const access = accessTokenClaims(authorization, frame, settings, {});
  return {
    username: user.username,
    authorities: authoritiesOf(user, settings.authority_prefixes),
    claims: { identity_class, entitlements, roles, groups, tenant, source_acl, attributes, claims },
    access_token: lasting(access),
    id_token: scope.includes('openid') ? lasting(idTokenClaims(authorization, frame, settings, '')) : undefined,
    userinfo: userinfoClaims({ user, client }, access, snapshot),
  };
}

const passing: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp', 'jti', 'auth_time', 'at_hash']);

function lasting(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !passing.has(name)));
}
