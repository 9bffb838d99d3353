// /sessions: the logins of users, and their consents to applications (SSO-45).

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { areSessionsOn } from '#shared/engine/login/browser-sessions.ts';
import { deleteConsents, endSessions } from '#shared/engine/login/end-sessions.ts';
import {
  type ShownConsent,
  type ShownSession,
  shownConsent,
  shownSession,
} from '#shared/engine/login/show-sessions.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { auditOriginOf, filterOf } from '../api/sessions.ts';
import { countText } from './count-text.ts';
import { distanceText, Moment } from './instants.tsx';
import { withNotice } from './notices.ts';
import { managementPage } from './shell.tsx';

/** The maximum number of each on the page. */
const shownMax = 200;

export async function sessionsPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { store, snapshot, clock } = context;
  const limits = sessionLimits(snapshot.settings);
  const found = await store.sessions.list(filterOf(request.query), limits, clock.now());
  const given = await store.consents.list(filterOf(request.query));
  const now = clock.now();
  return managementPage(request, context, {
    title: 'Sessions',
    section: '/sessions',
    lead: 'Who is logged in with which browser, and what users have allowed applications to do.',
    notice: areSessionsOn(context) ? undefined : (
      <Notice kind="info">
        Sessions are off, so every application asks for a login. Set <code>login.session: on</code> to turn them on.
      </Notice>
    ),
    children: (
      <>
        <Sessions
          rows={found.slice(0, shownMax).map((one) => shownSession(one, limits))}
          all={found.length}
          now={now}
        />
        <Consents rows={given.slice(0, shownMax).map(shownConsent)} all={given.length} now={now} />
      </>
    ),
  });
}

export async function endSessionsByForm(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const sid = request.form.value('sid');
  const { ended } = await endSessions({ sid }, 'api', auditOriginOf(request, context), { ...context, teller: context });
  return redirect(context.path(withNotice('/sessions', 'sessions_ended', counted(ended.length, 'session'))));
}

export async function forgetConsentsByForm(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const deleted = await deleteConsents(filterOf(request.form), auditOriginOf(request, context), context);
  return redirect(context.path(withNotice('/sessions', 'consents_forgotten', counted(deleted, 'consent'))));
}

function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

interface ListProps<Row> {
  readonly rows: readonly Row[];
  readonly all: number;
  readonly now: ReturnType<ManagementContext['clock']['now']>;
}

function Sessions({ rows, all, now }: ListProps<ShownSession>) {
  const columns: readonly Column<ShownSession>[] = [
    { heading: 'User', role: 'main', cell: (row) => <Who {...row} /> },
    {
      heading: 'Login',
      cell: ({ method, acr, authenticated_at }) => (
        <div class="stack">
          <span>{method}</span>
          {acr !== null && (
            <span class="soft small clamp">
              acr <bdi>{acr}</bdi>
            </span>
          )}
          <Moment iso={authenticated_at} now={now} />
        </div>
      ),
    },
    { heading: 'Last used', cell: ({ last_used_at }) => distanceText(Date.parse(last_used_at), now) },
    { heading: 'Expires', cell: ({ expires_at }) => distanceText(Date.parse(expires_at), now) },
    {
      heading: 'Applications',
      cell: ({ clients, service_providers }) => <Names names={[...clients, ...service_providers]} />,
    },
    {
      heading: 'Actions',
      role: 'actions',
      cell: ({ sid, username }) => (
        <OwnForm method="post" action="/sessions/end">
          <Hidden name="sid" value={sid} />
          <Button kind="danger" small label={`End the session of ${username}`}>
            End
          </Button>
        </OwnForm>
      ),
    },
  ];
  return (
    <Card title="Sessions" lead={firstOf(rows.length, all)}>
      {rows.length === 0 ? (
        <EmptyState title="No sessions">A login creates a session while sessions are on.</EmptyState>
      ) : (
        <>
          <Table caption="Sessions" columns={columns} rows={rows} rowKey={({ sid }) => sid} />
          <OwnForm method="post" action="/sessions/end" class="row">
            <Button kind="danger">End all sessions</Button>
          </OwnForm>
        </>
      )}
    </Card>
  );
}

function Who({ username, browser, sid }: ShownSession) {
  return (
    <>
      <span class="who-name">
        <bdi>{username}</bdi>
      </span>
      <span class="soft small clamp">
        <code>{sid}</code>
      </span>
      <Tag>{`browser ${browser.slice(0, 6)}`}</Tag>
    </>
  );
}

function Names({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return <span class="soft">none yet</span>;
  return (
    <ul class="plain">
      {names.map((name) => (
        <li key={name} class="clamp">
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Consents({ rows, all, now }: ListProps<ShownConsent>) {
  if (rows.length === 0) return null;
  const columns: readonly Column<ShownConsent>[] = [
    { heading: 'User', role: 'main', cell: ({ username }) => <bdi>{username}</bdi> },
    { heading: 'Application', cell: ({ client_id }) => <bdi>{client_id}</bdi> },
    { heading: 'Allowed', cell: ({ scope }) => <code>{scope}</code> },
    { heading: 'Date', cell: ({ given_at }) => <Moment iso={given_at} now={now} /> },
    {
      heading: 'Actions',
      role: 'actions',
      cell: ({ username, client_id }) => (
        <OwnForm method="post" action="/sessions/forget">
          <Hidden name="username" value={username} />
          <Hidden name="client_id" value={client_id} />
          <Button kind="danger" small label={`Delete the consent of ${username} to ${client_id}`}>
            {' '}
            Delete{' '}
          </Button>
        </OwnForm>
      ),
    },
  ];
  return (
    <Card title="Consents" lead={firstOf(rows.length, all)}>
      <Table
        caption="Consents"
        columns={columns}
        rows={rows}
        rowKey={({ username, client_id }) => `${username} ${client_id}`}
      />
    </Card>
  );
}

function firstOf(shown: number, all: number): string | undefined {
  return shown < all ? `The first ${shown} of ${countText(all)}.` : undefined;
}
