// /service-providers: declared and runtime service providers, and how a login for them works. Only declared ones can be
// changed here (SPM-28).
import { X509Certificate } from 'node:crypto';
import type { Instant } from '#shared/base/clock.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import {
  type EffectiveServiceProvider,
  effectiveServiceProviders,
} from '#shared/engine/identities/effective-identities.ts';
import { defaultConsumer, usedConsumers } from '#shared/model/configuration/service-provider.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { signedPartOf } from '#shared/model/saml-rules/response-form.ts';
import { ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { IfPathExists, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { countText } from '../count-text.ts';
import { listView, Pages, SearchForm } from '../list-controls.tsx';
import { managementPage } from '../shell.tsx';
import { listPath, serviceProviderPath } from './declared-service-provider.ts';

export async function serviceProvidersPage(request: ParsedRequest, context: ManagementContext) {
  const { snapshot, store, clock } = context;
  const all = await effectiveServiceProviders(snapshot, store);
  const byName = new Map(all.map((each) => [each.serviceProvider.entity_id, each]));
  const view = await listView(request.query, {
    names: [...byName.keys()],
    row: async (name) => byName.get(name),
    async *each() {
      yield all;
    },
    text: searchText,
  });
  const { saml } = snapshot.settings;
  const runtime = all.filter(({ origin }) => origin === 'runtime').length;
  return managementPage(request, context, {
    title: 'Service providers',
    section: listPath,
    lead: (
      <>
        {countText(all.length - runtime)} declared{context.sandbox === undefined && ' in settings.yaml'},{' '}
        <OwnLink href="/runtime">{countText(runtime)} runtime</OwnLink>; others are{' '}
        {saml.unregistered === 'allow' ? 'accepted too' : 'rejected'}
      </>
    ),
    actions: (
      <IfPathExists path={`${listPath}/create`}>
        <ButtonLink href={`${listPath}/import`}>Import metadata</ButtonLink>
        <ButtonLink href={`${listPath}/create`} kind="primary">
          New service provider
        </ButtonLink>
      </IfPathExists>
    ),
    children: (
      <Card>
        <SearchForm action={listPath} search={view.search} label="Search service providers" />
        {view.rows.length === 0 ? (
          <NoServiceProviders searched={view.search !== ''} />
        ) : (
          <Table
            caption="Service providers"
            columns={columns(clock.now(), saml)}
            rows={view.rows}
            rowKey={({ serviceProvider }) => serviceProvider.entity_id}
            wideActions
          />
        )}
        <Pages path={listPath} view={view} />
      </Card>
    ),
  });
}

function searchText({ serviceProvider, origin }: EffectiveServiceProvider): string {
  const { entity_id, title = '', acs } = serviceProvider;
  return [entity_id, title, origin, ...acs.map(({ url }) => url)].join('\n');
}

function columns(now: Instant, saml: Settings['saml']): readonly Column<EffectiveServiceProvider>[] {
  return [
    { heading: 'Service provider', role: 'main', cell: (row) => <Name {...row} /> },
    { heading: 'Responses go to', cell: ({ serviceProvider }) => <Consumers {...serviceProvider} /> },
    {
      heading: 'Messages',
      cell: ({ serviceProvider }) => (
        <Messages {...serviceProvider} signed={signedPartOf(saml, serviceProvider)} now={now} />
      ),
    },
    { heading: 'Actions', role: 'actions', cell: (row) => <Actions {...row} beginsHere={saml.idp_initiated} /> },
  ];
}

function Name({ serviceProvider: { entity_id, title }, origin }: EffectiveServiceProvider) {
  const name = <bdi>{title ?? entity_id}</bdi>;
  return (
    <>
      <div class="row">
        {origin === 'declared' ? (
          <OwnLink class="who-name" href={serviceProviderPath(entity_id, 'edit')}>
            {name}
          </OwnLink>
        ) : (
          <span class="who-name">{name}</span>
        )}
        {origin === 'runtime' && <Tag kind="accent">runtime</Tag>}
      </div>
      {title !== undefined && (
        <p class="soft small">
          <bdi>{entity_id}</bdi>
        </p>
      )}
    </>
  );
}

type SignedPart = ReturnType<typeof signedPartOf>;
type Listed = EffectiveServiceProvider['serviceProvider'];

function Consumers({ acs }: Listed) {
  const used = usedConsumers(acs);
  const first = defaultConsumer(used);
  if (first === undefined) return <Tag kind="warn">nowhere</Tag>;
  return (
    <span class="small">
      <bdi class="clamp">{first.url}</bdi>
      {used.length > 1 && <span class="soft"> and {used.length - 1} more</span>}
    </span>
  );
}

const signedWords: Readonly<Record<SignedPart, string>> = {
  assertion: 'signs the Assertion',
  response: 'signs the Response',
  both: 'signs both',
  none: 'signs nothing',
};

interface Messaging extends Listed {
  readonly signed: SignedPart;
  readonly now: Instant;
}

function Messages({ signed, encrypt, want_signed_requests, certificates, now }: Messaging) {
  const expired = certificates.some((pem) => Date.parse(new X509Certificate(pem).validTo) <= now);
  return (
    <span class="tags">
      <Tag>{signedWords[signed]}</Tag>
      {encrypt.length > 0 && <Tag>encrypted</Tag>}
      {want_signed_requests && <Tag>signed requests only</Tag>}
      {expired && <Tag kind="warn">certificate expired</Tag>}
    </span>
  );
}

function Actions({ serviceProvider, origin, beginsHere }: EffectiveServiceProvider & { readonly beginsHere: boolean }) {
  const { entity_id, title = entity_id } = serviceProvider;
  return (
    <span class="row row-end">
      {beginsHere && serviceProvider.idp_initiated && (
        <OwnLink
          href={`/saml/idp-initiated?${new URLSearchParams({ sp: entity_id })}`}
          aria-label={`Log in to ${title}`}
        >
          Log in
        </OwnLink>
      )}
      {origin === 'declared' && (
        <IfPathExists path={`${listPath}/edit`}>
          <OwnLink href={serviceProviderPath(entity_id, 'edit')} aria-label={`Edit ${title}`}>
            Edit
          </OwnLink>
          <OwnLink href={serviceProviderPath(entity_id, 'delete')} aria-label={`Delete ${title}`}>
            Delete
          </OwnLink>
        </IfPathExists>
      )}
    </span>
  );
}

function NoServiceProviders({ searched }: { readonly searched: boolean }) {
  return searched ? (
    <EmptyState title="No matching service providers">Search by entity ID, title, origin or address.</EmptyState>
  ) : (
    <EmptyState
      title="No service providers yet"
      action={
        <IfPathExists path={`${listPath}/import`}>
          <ButtonLink href={`${listPath}/import`} kind="primary">
            Import metadata
          </ButtonLink>
        </IfPathExists>
      }
    >
      Declare service providers in settings.yaml. Create temporary ones with{' '}
      <code>POST /api/runtime/service-providers</code>.
    </EmptyState>
  );
}
