// /users: all users, declared and runtime, with search (WEB-02).

import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import {
  type EffectiveUser,
  eachEffectiveUser,
  effectiveUserNames,
  findEffectiveUser,
} from '#shared/engine/identities/effective-identities.ts';
import { ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmailAddress } from '#shared/web/pages/components/email-address.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { Monogram } from '#shared/web/pages/components/persona-picker.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag, Tags } from '#shared/web/pages/components/tag.tsx';
import { countText } from '../count-text.ts';
import { listView, Pages, SearchForm } from '../list-controls.tsx';
import { pathSegment } from '../names-in-addresses.ts';
import { managementPage } from '../shell.tsx';

export async function usersPage(request: ParsedRequest, context: ManagementContext) {
  const { snapshot, store } = context;
  const { declared, runtime } = await effectiveUserNames(snapshot, store);
  const view = await listView(request.query, {
    names: [...declared, ...runtime],
    row: (name) => findEffectiveUser(snapshot, store, name),
    each: () => eachEffectiveUser(snapshot, store),
    text: searchText,
  });
  return managementPage(request, context, {
    title: 'Users',
    section: '/users',
    lead: (
      <>
        {countText(declared.length)} declared in users.yaml,{' '}
        <OwnLink href="/runtime">{countText(runtime.length)} runtime</OwnLink>
      </>
    ),
    actions: (
      <ButtonLink href="/users/create" kind="primary">
        New user
      </ButtonLink>
    ),
    children: (
      <Card>
        <SearchForm action="/users" search={view.search} label="Search users" />
        {view.rows.length === 0 ? (
          <NoUsers searched={view.search !== ''} />
        ) : (
          <Table caption="Users" columns={columns} rows={view.rows} rowKey={({ user }) => user.username} />
        )}
        <Pages path="/users" view={view} />
      </Card>
    ),
  });
}

function searchText({ user }: EffectiveUser): string {
  return [user.username, user.description, user.email, user.tenant, ...user.roles, ...user.groups].join('\n');
}

export function userPath(username: string, action?: 'edit' | 'delete' | 'second-factor'): string {
  return `/users/${pathSegment(username)}${action === undefined ? '' : `/${action}`}`;
}

const columns: readonly Column<EffectiveUser>[] = [
  { heading: 'User', role: 'main', cell: (row) => <UserCell {...row} /> },
  { heading: 'E-mail', cell: ({ user }) => <EmailAddress address={user.email} /> },
  { heading: 'Roles', cell: ({ user }) => <Tags values={user.roles.slice(0, 6)} /> },
  { heading: 'Tenant', width: 'narrow', cell: ({ user }) => <Tenant name={user.tenant} /> },
  { heading: 'Actions', role: 'actions', cell: (row) => <UserActions {...row} /> },
];

function UserCell({ user, origin }: EffectiveUser) {
  return (
    <div class="who">
      <Monogram name={user.username} small />
      <div>
        <div class="row">
          {origin === 'declared' ? (
            <OwnLink class="who-name" href={userPath(user.username)}>
              <bdi>{user.username}</bdi>
            </OwnLink>
          ) : (
            <span class="who-name">
              <bdi>{user.username}</bdi>
            </span>
          )}
          {origin === 'runtime' && <Tag kind="accent">runtime</Tag>}
          {user.password === undefined && <Tag>persona</Tag>}
        </div>
        {user.description !== '' && (
          <p class="soft small clamp">
            <bdi>{user.description}</bdi>
          </p>
        )}
      </div>
    </div>
  );
}

/** The default tenant is shown faintly, and not at all on a phone. */
function Tenant({ name }: { readonly name: string }) {
  return <bdi class={name === 'default' ? 'usual' : undefined}>{name}</bdi>;
}

function UserActions({ user, origin }: EffectiveUser) {
  if (origin !== 'declared') return null;
  return (
    <span class="row row-end">
      <OwnLink href={userPath(user.username, 'edit')} aria-label={`Edit ${user.username}`}>
        Edit
      </OwnLink>
      <OwnLink href={userPath(user.username, 'delete')} aria-label={`Delete ${user.username}`}>
        Delete
      </OwnLink>
    </span>
  );
}

function NoUsers({ searched }: { readonly searched: boolean }) {
  return searched ? (
    <EmptyState title="No matching users">Search by name, description, e-mail, tenant, role or group.</EmptyState>
  ) : (
    <EmptyState
      title="No users yet"
      action={
        <ButtonLink href="/users/create" kind="primary">
          Create the first user
        </ButtonLink>
      }
    >
      Declare users in users.yaml. Create temporary ones with <code>POST /api/runtime/users</code>.
    </EmptyState>
  );
}
