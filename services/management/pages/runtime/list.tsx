// /runtime: the disposable users, clients and service providers, with the actions to promote and delete them. The lists
// of all users, clients and service providers show them too, but cannot change them (WEB-02, WEB-06, SPM-28).

import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { RuntimeIdentity, RuntimeKind, RuntimeServiceProvider } from '#shared/model/domain/runtime-identity.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { counted, countText } from '../count-text.ts';
import { Moment } from '../instants.tsx';
import { managementPage } from '../shell.tsx';

/** The maximum number of each kind on the page. A test that creates more deletes them itself. */
const shownMax = 200;

export async function runtimePage(request: ParsedRequest, context: ManagementContext) {
  const { identities } = context.store;
  const [{ users }, { clients }, userNames, clientNames, serviceProviders] = await Promise.all([
    identities.usersAfter(0, shownMax),
    identities.clientsAfter(0, shownMax),
    identities.names('user'),
    identities.names('client'),
    identities.listServiceProviders(),
  ]);
  const now = context.clock.now();
  const any = users.length + clients.length + serviceProviders.length > 0;
  return managementPage(request, context, {
    title: 'Runtime objects',
    section: undefined,
    lead: `${counted(userNames.length, 'user')}, ${counted(clientNames.length, 'client')} and ${counted(serviceProviders.length, 'service provider')} that no file declares. With runtime.store: memory they are deleted when the server stops.`,
    actions: any ? (
      <ButtonLink href="/runtime/reset" kind="danger">
        Delete all
      </ButtonLink>
    ) : undefined,
    children: any ? (
      <>
        <Objects title="Users" all={userNames.length} rows={users} now={now} />
        <Objects title="Clients" all={clientNames.length} rows={clients} now={now} />
        <Objects
          title="Service providers"
          all={serviceProviders.length}
          rows={serviceProviders.slice(0, shownMax)}
          now={now}
        />
      </>
    ) : (
      <Card>
        <EmptyState title="No runtime objects">
          Create them with <code>POST /api/runtime/users</code>, <code>POST /api/runtime/clients</code> or{' '}
          <code>POST /api/runtime/service-providers</code>. Clients can also register themselves.
        </EmptyState>
      </Card>
    ),
  });
}

type RuntimeObject = RuntimeIdentity | RuntimeServiceProvider;

interface ObjectsProps {
  readonly title: string;
  readonly all: number;
  readonly rows: readonly RuntimeObject[];
  readonly now: ReturnType<ManagementContext['clock']['now']>;
}

function Objects({ title, all, rows, now }: ObjectsProps) {
  if (rows.length === 0) return null;
  const columns: readonly Column<RuntimeObject>[] = [
    { heading: 'Name', role: 'main', cell: (row) => <Name {...row} /> },
    {
      heading: 'Created',
      cell: ({ createdAt }) => <Moment iso={new Date(createdAt).toISOString()} now={now} />,
    },
    { heading: 'Actions', role: 'actions', cell: (row) => <Actions {...row} /> },
  ];
  return (
    <Card title={title} lead={rows.length < all ? `The first ${rows.length} of ${countText(all)}.` : undefined}>
      <Table caption={title} columns={columns} rows={rows} rowKey={({ name }) => name} wideActions />
    </Card>
  );
}

function Name(identity: RuntimeObject) {
  return (
    <div class="row">
      <span class="who-name">
        <bdi>{identity.name}</bdi>
      </span>
      {identity.kind === 'client' && identity.registration !== undefined && <Tag>registered</Tag>}
      {identity.kind !== 'service_provider' && identity.promotion.state !== 'free' && (
        <Tag kind="warn">being promoted</Tag>
      )}
    </div>
  );
}

function Actions({ kind, name }: RuntimeObject) {
  const file = kind === 'user' ? 'users.yaml' : 'settings.yaml';
  return (
    <span class="row row-end">
      {kind !== 'service_provider' && (
        <OwnForm method="post" action="/runtime/promote">
          <Target kind={kind} name={name} />
          <Button kind="secondary" small label={`Save to file: ${name}, into ${file}`}>
            Save to file
          </Button>
        </OwnForm>
      )}
      <OwnForm method="post" action="/runtime/delete">
        <Target kind={kind} name={name} />
        <Button kind="danger" small label={`Delete ${name}`}>
          Delete
        </Button>
      </OwnForm>
    </span>
  );
}

function Target({ kind, name }: { readonly kind: RuntimeKind; readonly name: string }) {
  return (
    <>
      <Hidden name="kind" value={kind} />
      <Hidden name="name" value={name} />
    </>
  );
}
