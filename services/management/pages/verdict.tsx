// /verdict: mistakes of clients, with the evidence (VER-12).

import { oneAtATime } from '#shared/base/scheduling/one-at-a-time.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { pageOf } from '#shared/engine/exchange/route.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { exchangeId, flowId } from '#shared/engine/recorder/show-exchange.ts';
import type { Finding, VerdictStatus } from '#shared/engine/verdict/judge.ts';
import {
  isAboutOne,
  readVerdictPage,
  type Verdict,
  type VerdictQuestion,
} from '#shared/engine/verdict/read-verdict.ts';
import { subjectName } from '#shared/engine/verdict/show-verdict.ts';
import { RefusedError } from '#shared/model/refusals/refusal.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag, type TagProps } from '#shared/web/pages/components/tag.tsx';
import { WithCode } from '#shared/web/pages/components/with-code.tsx';
import { questionOf } from '../api/verdict.ts';
import { judgedBy } from '../judged-by.ts';
import { countText } from './count-text.ts';
import { type ListView, Pages, placeIn, rowsPerPage } from './list-controls.tsx';
import { managementPage } from './shell.tsx';

export async function verdictPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { question, verdicts, view } = await asPage(async () => {
    const question = questionOf(request.query);
    return { question: question, ...(await verdictsShown(question, request, context)) };
  });
  const [only] = verdicts;
  const isOne = isAboutOne(question) && only !== undefined;
  return managementPage(request, context, {
    title: 'Verdict',
    heading: isOne ? (
      <>
        Verdict on <bdi>{subjectName(only.subject)}</bdi>
      </>
    ) : (
      'Verdict'
    ),
    section: '/verdict',
    lead: 'Mistakes of clients in the recorded requests, even if the requests succeeded.',
    notice: isRecorderOn(context) ? undefined : (
      <Notice kind="info">
        The recorder is off, so new requests are not judged. <code>recorder.enabled</code> or{' '}
        <code>PUT /api/recorder</code> turns it on.
      </Notice>
    ),
    actions: isOne ? <Downloads verdict={only} /> : undefined,
    children: isOne ? <One {...only} /> : <Everybody view={view} after={question.after} />,
  });
}

/** Without a named subject, only the subjects on one page are judged. */
async function verdictsShown(question: VerdictQuestion, { query }: ParsedRequest, context: ManagementContext) {
  let place = placeIn(query, 0);
  function onPage<One>(all: readonly One[]): readonly One[] {
    place = placeIn(query, all.length);
    return all.slice(place.from, place.from + rowsPerPage);
  }
  const { verdicts, subjects } = await oneAtATime(() => readVerdictPage(question, judgedBy(context), onPage));
  return { verdicts, view: { ...place, search: '', rows: verdicts, matching: subjects } };
}

/** Turns a rejection of the API into a page. */
async function asPage<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw pageOf('verdict', error);
  }
}

/** The address of the verdict on a subject, below the page's path or the API's. */
export function verdictPath({ client_id, sp, flow }: Verdict['subject'], path = '/verdict', format?: string): string {
  const named = Object.entries({ client_id, sp, flow, format }).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, value]],
  );
  return named.length === 0 ? path : `${path}?${new URLSearchParams(named)}`;
}

function Downloads({ verdict: { subject } }: { readonly verdict: Verdict }) {
  return (
    <>
      <OwnLink class="button button-secondary button-small" href={verdictPath(subject, '/api/verdict', 'junit')}>
        JUnit
      </OwnLink>
      <OwnLink class="button button-secondary button-small" href={verdictPath(subject, '/api/verdict', 'sarif')}>
        SARIF
      </OwnLink>
    </>
  );
}

function One({ status, findings, clean, notObserved, exchanges }: Verdict) {
  return (
    <>
      <Card title="Summary">
        <Facts
          facts={[
            ['Verdict', <StatusTag key="status" status={status} />],
            ['Requests judged', countText(exchanges)],
            ['Findings', countText(findings.length)],
          ]}
        />
      </Card>
      {findings.map((finding) => (
        <FindingCard key={finding.rule.id} {...finding} />
      ))}
      <Rules title="Rules followed" lead="The client could have broken these rules, but did not." rules={clean} />
      <Rules title="Not observed" lead="These rules apply to none of the recorded requests." rules={notObserved} />
    </>
  );
}

function FindingCard({ rule, severity, detail, count, evidence }: Finding) {
  const { reference, link } = rule.standard;
  return (
    <Card
      title={
        <>
          <StatusTag status={severity} /> {rule.title}
        </>
      }
      lead={
        <>
          <code>{rule.id}</code>, {link === undefined ? reference : <a href={link}>{reference}</a>}
          {count > 1 && `, ${countText(count)} times`}
        </>
      }
    >
      <div class="stack">
        <p>
          <bdi>
            <WithCode text={detail} />
          </bdi>
        </p>
        <p>
          <strong>Remedy:</strong> <WithCode text={rule.remedy} />
        </p>
        <p>
          <Evidence exchanges={evidence} />
        </p>
      </div>
    </Card>
  );
}

export function Evidence({ exchanges }: { readonly exchanges: Finding['evidence'] }) {
  return (
    <span class="small">
      Evidence:{' '}
      {exchanges.map(({ id, flow, path }, index) => (
        <span key={exchangeId(id)}>
          {index > 0 && ', '}
          <OwnLink href={`/flows/${flowId(flow)}#${exchangeId(id)}`}>{`${path} ${exchangeId(id)}`}</OwnLink>
        </span>
      ))}
    </span>
  );
}

interface RulesProps {
  readonly title: string;
  readonly lead: string;
  readonly rules: Verdict['clean'];
}

function Rules({ title, lead, rules }: RulesProps) {
  if (rules.length === 0) return null;
  return (
    <Card title={`${title} (${countText(rules.length)})`} lead={lead}>
      <details>
        <summary>Show rules</summary>
        <ul class="small">
          {rules.map(({ id, title: broken }) => (
            <li key={id}>
              <code>{id}</code> <span class="soft">{broken}</span>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

function Everybody({ view, after }: { readonly view: ListView<Verdict>; readonly after: number | undefined }) {
  return (
    <Card title="Clients">
      {view.rows.length === 0 ? (
        <EmptyState title="No requests yet">The verdict appears here after a client’s first request.</EmptyState>
      ) : (
        <>
          <Table
            caption="Clients"
            columns={columns}
            rows={view.rows}
            rowKey={({ subject }) => JSON.stringify(Object.values(subject))}
          />
          <Pages path="/verdict" view={view} further={after === undefined ? {} : { after: String(after) }} />
        </>
      )}
    </Card>
  );
}

const columns: readonly Column<Verdict>[] = [
  {
    heading: 'Client',
    role: 'main',
    cell: ({ subject }) =>
      Object.values(subject).every((name) => name === null) ? (
        subjectName(subject)
      ) : (
        <OwnLink href={verdictPath(subject)}>{subjectName(subject)}</OwnLink>
      ),
  },
  { heading: 'Verdict', width: 'medium', cell: ({ status }) => <StatusTag status={status} /> },
  { heading: 'Findings', cell: ({ findings }) => findings.map(({ rule }) => rule.title).join('; ') || 'none' },
  { heading: 'Requests', width: 'narrow', cell: ({ exchanges }) => countText(exchanges) },
];

const tagKinds = {
  ...{ error: 'bad', warning: 'warn', advice: 'accent', clean: 'good', nothing_seen: 'plain' },
} as const satisfies Record<VerdictStatus, TagProps['kind']>;

export function StatusTag({ status }: { readonly status: VerdictStatus }) {
  return <Tag kind={tagKinds[status]}>{status === 'nothing_seen' ? 'no requests' : status}</Tag>;
}
