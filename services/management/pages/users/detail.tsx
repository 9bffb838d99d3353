// /users/<username>: a declared user with the authorities that its tokens carry (WEB-02). Password and TOTP secret are
// only said to exist.
import type { User } from '#shared/configuration/model/user-entry.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { authoritiesOf } from '#shared/issuing/authorities.ts';
import { ButtonLink } from '#shared/pages/components/button.tsx';
import { Card } from '#shared/pages/components/card.tsx';
import { CodeBlock } from '#shared/pages/components/code-block.tsx';
import { EmailAddress } from '#shared/pages/components/email-address.tsx';
import { Facts } from '#shared/pages/components/facts.tsx';
import { OwnLink } from '#shared/pages/components/own-link.tsx';
import { Tag, Tags } from '#shared/pages/components/tag.tsx';
import { managementPage } from '../shell.tsx';
import { declaredUser } from './declared-user.ts';
import { userPath } from './list.tsx';

export async function userDetailPage(request: ParsedRequest, context: RequestContext) {
  const { user, elsewhere } = await declaredUser(request, context);
  if (user === undefined) return elsewhere;
  const authorities = authoritiesOf(user, context.snapshot.settings.authority_prefixes);
  const attributes = Object.entries(user.attributes);
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
        <Card
          title="Authorities"
          lead={
            <>
              The claim <code>authorities</code> of the user’s tokens, made with the{' '}
              <OwnLink href="/claims">prefixes</OwnLink>.
            </>
          }
        >
          {authorities.length === 0 ? (
            <p class="soft">None: the claim is left out.</p>
          ) : (
            <Tags values={authorities} kind="accent" />
          )}
        </Card>
        {attributes.length > 0 && (
          <Card title="Attributes">
            <CodeBlock id="attributes" title="attributes" text={JSON.stringify(user.attributes, null, 2)} />
          </Card>
        )}
      </>
    ),
  });
}

function profileFacts(user: User) {
  const none = <span class="soft">none</span>;
  const tags = (values: readonly string[]) => (values.length === 0 ? none : <Tags values={values} />);
  return [
    ['E-mail', user.email === '' ? none : <EmailAddress key="email" address={user.email} />],
    ['Tenant', <bdi key="tenant">{user.tenant}</bdi>],
    ['Identity class', user.identity_class === null ? none : <bdi>{user.identity_class}</bdi>],
    ['Roles', tags(user.roles)],
    ['Groups', tags(user.groups)],
    ['Entitlements', tags(user.entitlements)],
    ['ACL entries', tags(user.source_acl)],
    ['Password', user.password === undefined ? <Tag>none: persona only</Tag> : <Tag kind="good">set</Tag>],
    ['Second factor', user.totp_secret === undefined ? none : <Tag kind="good">set up</Tag>],
  ] as const;
}
