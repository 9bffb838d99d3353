// /clients: declared, runtime and metadata-document clients with their origin. Only declared ones can be changed.
// Cached documents can be dropped (WEB-06).

import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import {
  type EffectiveClient,
  eachEffectiveClient,
  effectiveClientNames,
  findEffectiveClient,
} from '#shared/engine/identities/effective-identities.ts';
import { hasSecret, isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { countText } from '../count-text.ts';
import { listView, Pages, SearchForm } from '../list-controls.tsx';
import { managementPage } from '../shell.tsx';
import { LoginPreview } from './login-preview.tsx';

export async function clientsPage(request: ParsedRequest, context: ManagementContext) {
  const { snapshot, store, clock } = context;
  const now = clock.now();
  const { declared, runtime, documents } = await effectiveClientNames(snapshot, store, now);
  const view = await listView(request.query, {
    names: [...declared, ...runtime, ...documents],
    row: (name) => findEffectiveClient(snapshot, store, name, now),
    each: () => eachEffectiveClient(snapshot, store, now),
    text: searchText,
  });
  return managementPage(request, context, {
    title: 'Clients',
    section: '/clients',
    lead: (
      <>
        {countText(declared.length)} declared in settings.yaml,{' '}
        <OwnLink href="/runtime">{countText(runtime.length)} runtime</OwnLink>, {countText(documents.length)} by
        metadata document
      </>
    ),
    actions: (
      <ButtonLink href="/clients/create" kind="primary">
        New client
      </ButtonLink>
    ),
    children: (
      <Card>
        <SearchForm action="/clients" search={view.search} label="Search clients" />
        {view.rows.length === 0 ? (
          <NoClients searched={view.search !== ''} />
        ) : (
          <Table
            caption="Clients"
            columns={columns}
            rows={view.rows}
            rowKey={({ client }) => client.client_id}
            wideActions
          />
        )}
        <Pages path="/clients" view={view} />
      </Card>
    ),
  });
}

function searchText({ client, origin }: EffectiveClient): string {
  const { client_id, description, redirect_uris, redirect_uri_patterns, scopes } = client;
  return [client_id, description, origin, ...redirect_uris, ...redirect_uri_patterns, ...scopes].join('\n');
}

export function clientPath(clientId: string, action: 'edit' | 'delete' | 'regenerate-secret'): string {
  return `/clients/${encodeURIComponent(clientId)}/${action}`;
}

const columns: readonly Column<EffectiveClient>[] = [
  { heading: 'Client', role: 'main', cell: (row) => <ClientCell {...row} /> },
  { heading: 'Authentication', width: 'medium', cell: ({ client }) => <Method client={client} /> },
  {
    heading: 'Redirects',
    cell: ({ client }) => <Redirects uris={[...client.redirect_uris, ...client.redirect_uri_patterns]} />,
  },
  { heading: 'Colours', width: 'narrow', cell: ({ client }) => <LoginPreview colours={client} /> },
  { heading: 'Actions', role: 'actions', cell: (row) => <ClientActions {...row} /> },
];

function ClientCell({ client, origin, registered }: EffectiveClient) {
  return (
    <>
      <div class="row">
        {origin === 'declared' ? (
          <OwnLink class="who-name" href={clientPath(client.client_id, 'edit')}>
            <bdi>{client.client_id}</bdi>
          </OwnLink>
        ) : (
          <span class="who-name">
            <bdi>{client.client_id}</bdi>
          </span>
        )}
        {origin === 'runtime' && <Tag kind="accent">runtime</Tag>}
        {origin === 'cimd' && <Tag kind="accent">cimd</Tag>}
        {registered === true && <Tag>registered</Tag>}
      </div>
      {client.description !== '' && (
        <p class="soft small clamp">
          <bdi>{client.description}</bdi>
        </p>
      )}
    </>
  );
}

function Method({ client }: Pick<EffectiveClient, 'client'>) {
  if (isPublicClient(client)) return <Tag>public</Tag>;
  return <code class="small">{client.token_endpoint_auth_method}</code>;
}

function Redirects({ uris }: { readonly uris: readonly string[] }) {
  const [first] = uris;
  if (first === undefined) return <span class="soft">any</span>;
  return (
    <span class="small">
      <bdi class="clamp">{first}</bdi>
      {uris.length > 1 && <span class="soft"> and {uris.length - 1} more</span>}
    </span>
  );
}

function ClientActions({ client, origin }: EffectiveClient) {
  const { client_id } = client;
  if (origin === 'cimd') {
    return (
      <OwnForm method="post" action="/clients/forget">
        <Hidden name="client_id" value={client_id} />
        <Button kind="secondary" small label={`Delete the cached document of ${client_id}`}>
          Delete
        </Button>
      </OwnForm>
    );
  }
  if (origin !== 'declared') return null;
  return (
    <span class="row row-end">
      <OwnLink href={clientPath(client_id, 'edit')} aria-label={`Edit ${client_id}`}>
        Edit
      </OwnLink>
      {hasSecret(client) && (
        <OwnLink href={clientPath(client_id, 'regenerate-secret')} aria-label={`New secret for ${client_id}`}>
          New secret
        </OwnLink>
      )}
      <OwnLink href={clientPath(client_id, 'delete')} aria-label={`Delete ${client_id}`}>
        Delete
      </OwnLink>
    </span>
  );
}

function NoClients({ searched }: { readonly searched: boolean }) {
  return searched ? (
    <EmptyState title="No matching clients">
      Search by client_id, description, origin, redirect URI or scope.
    </EmptyState>
  ) : (
    <EmptyState
      title="No clients yet"
      action={
        <ButtonLink href="/clients/create" kind="primary">
          Create the first client
        </ButtonLink>
      }
    >
      Declare clients in settings.yaml. Create temporary ones with <code>POST /api/runtime/clients</code> or by
      registration.
    </EmptyState>
  );
}
