// /users/<username>: a declared user with the authorities that its tokens carry (WEB-02). Of password and TOTP secret
// the page shows only that they exist.

import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { type ShownTotpCode, totpCodeNow } from '#shared/engine/login/totp.ts';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import { userKind } from '#shared/model/configuration/entry-kinds.ts';
import { labelOf } from '#shared/model/configuration/projections/form.ts';
import { type ModelField, valueAt } from '#shared/model/configuration/read-model.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { CopyButton } from '#shared/web/pages/components/copy-button.tsx';
import { EmailAddress } from '#shared/web/pages/components/email-address.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { Tag, Tags } from '#shared/web/pages/components/tag.tsx';
import { isUnlocked } from '../../management-secret.ts';
import { managementPage } from '../shell.tsx';
import { declaredUser } from './declared-user.ts';
import { userPath } from './list.tsx';

export async function userDetailPage(request: ParsedRequest, context: ManagementContext) {
  const { found: user, elsewhere } = await declaredUser(request, context);
  if (user === undefined) return elsewhere;
  const authorities = authoritiesOf(user, context.snapshot.settings.authority_prefixes);
  const attributes = Object.entries(user.attributes);
  // A caller who may change the user may also read the current code of its authenticator.
  const code =
    user.totp_secret !== undefined && (await isUnlocked(context))
      ? await totpCodeNow(user.totp_secret, context.clock.now())
      : undefined;
  return managementPage(request, context, {
    title: 'User',
    heading: <bdi>{user.username}</bdi>,
    lead: user.description === '' ? undefined : <bdi>{user.description}</bdi>,
    section: '/users',
    actions: (
      <>
        <ButtonLink href={userPath(user.username, 'edit')} kind="primary">
          Edit
        </ButtonLink>
        <ButtonLink href={`/test?${new URLSearchParams({ username: user.username })}`}>Get a token</ButtonLink>
        <ButtonLink href={userPath(user.username, 'delete')} kind="danger">
          Delete
        </ButtonLink>
      </>
    ),
    children: (
      <>
        <Card title="Profile">
          <Facts facts={profileFacts(user)} />
        </Card>
        <SecondFactor user={user} code={code} isAsked={context.snapshot.settings.login.totp} />
        <Card
          title="Authorities"
          lead={
            <>
              The claim <code>authorities</code> in the user’s tokens, built with the{' '}
              <OwnLink href="/claims">prefixes</OwnLink>.
            </>
          }
        >
          {authorities.length === 0 ? (
            <p class="soft">None, so tokens have no such claim.</p>
          ) : (
            <Tags values={authorities} kind="accent" />
          )}
        </Card>
        {Object.keys(user.claims).length > 0 && (
          <Card
            title="Claims"
            lead={
              <>
                Other claims that applications receive. The{' '}
                <OwnLink href={`/claims?${new URLSearchParams({ username: user.username })}`}>preview</OwnLink> shows
                which token has them.
              </>
            }
          >
            <CodeBlock id="claims" title="claims" text={JSON.stringify(user.claims, null, 2)} />
          </Card>
        )}
        {attributes.length > 0 && (
          <Card title="Attributes">
            <CodeBlock id="attributes" title="attributes" text={JSON.stringify(user.attributes, null, 2)} />
          </Card>
        )}
      </>
    ),
  });
}

interface SecondFactorProps {
  readonly user: User;
  readonly code: ShownTotpCode | undefined;
  /** `login.totp` is on. */
  readonly isAsked: boolean;
}

/** The secret stays hidden (LOG-25). The current code lets a tester log in without an authenticator. */
function SecondFactor({ user, code, isAsked }: SecondFactorProps) {
  const hasSecret = user.totp_secret !== undefined;
  return (
    <Card
      title="Second factor"
      lead={lead(hasSecret, code !== undefined)}
      actions={<OwnLink href={userPath(user.username, 'second-factor')}>Create a TOTP secret</OwnLink>}
    >
      {code !== undefined && (
        <p class="row">
          <code id="totp-code" class="current-code">
            {code.code}
          </code>
          <CopyButton from="totp-code" />
          <span class="soft">
            changes in {code.secondsLeft} {code.secondsLeft === 1 ? 'second' : 'seconds'}
          </span>
          <OwnLink href={userPath(user.username)}>Refresh</OwnLink>
        </p>
      )}
      {hasSecret && !isAsked && (
        <p class="soft">
          Logins do not ask for the code, because <code>login.totp</code> is off.
        </p>
      )}
    </Card>
  );
}

function lead(hasSecret: boolean, isShown: boolean): string {
  if (!hasSecret) return 'This user has no TOTP secret.';
  return isShown
    ? 'The code that an authenticator app currently shows for this user.'
    : 'This user has a TOTP secret. Unlock writing to see the code.';
}

/** All fields without a place of their own on this page. */
function profileFacts(user: User) {
  return userKind.fields
    .filter(({ name }) => !['description', 'attributes', 'claims'].includes(name))
    .map((field) => [labelOf(field), <Fact key={field.name} field={field} user={user} />] as const);
}

function Fact({ field: { name, notes }, user }: { readonly field: ModelField; readonly user: User }) {
  const value = valueAt(user, name);
  if (name === 'password' && value === undefined) return <Tag>none (persona only)</Tag>;
  if (notes.secret === true && value !== undefined) return <Tag kind="good">set</Tag>;
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) {
    return <span class="soft">none</span>;
  }
  if (name === 'email') return <EmailAddress address={user.email} />;
  if (Array.isArray(value)) return <Tags values={value.map(String)} />;
  return <bdi>{String(value)}</bdi>;
}
