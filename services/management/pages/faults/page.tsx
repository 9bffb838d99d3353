// /faults: faults on demand (FLT-36): the active ones, a form for the chosen fault, and the catalogue. No part of it
// needs a script: the form of a fault is a separate page.

import type { Parameters } from '#shared/base/parameters.ts';
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { everyFaultFamily, faultNamed } from '#shared/engine/faults/catalogue/index.ts';
import { createFault, type FaultCreation } from '#shared/engine/faults/create-fault.ts';
import type { FaultRow } from '#shared/engine/faults/fault-row.ts';
import { problemSentence } from '#shared/engine/faults/read-fault-order.ts';
import type { Fault } from '#shared/model/domain/fault.ts';
import { faultRefusals } from '#shared/model/refusals/families/faults.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { WithCode } from '#shared/web/pages/components/with-code.tsx';
import { deletionOf, faultEventOf } from '../../api/faults.ts';
import { withNotice } from '../notices.ts';
import { managementPage } from '../shell.tsx';
import { FaultForm, orderOf } from './fault-form.tsx';

export async function faultsPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showFaults(request, context, faultNamed(request.query.value('fault') ?? ''));
}

export async function setFaultByForm(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { form } = request;
  const row = faultNamed(form.value('fault') ?? '');
  const event = faultEventOf(request, context);
  const order = row === undefined ? { fault: form.value('fault') } : orderOf(form, row);
  const creation = await createFault(order, event, context);
  if (creation.outcome === 'created') {
    return redirect(context.path(withNotice('/faults', 'fault_set', creation.fault.fault)));
  }
  const problem = problemOf(creation);
  return showFaults(request, context, row, { form, problem });
}

function problemOf(creation: Exclude<FaultCreation, { outcome: 'created' }>): string {
  switch (creation.outcome) {
    case 'full':
      return faultRefusals.fault_limit.answer;
    case 'key_not_rotatable':
      return creation.refusal.message;
    case 'refused':
      return creation.problems.map((each) => `${problemSentence(each)}.`).join(' ');
  }
}

export async function removeFaults(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { faults } = context.store;
  const id = request.form.value('id');
  if (id === undefined) await faults.deleteAll(deletionOf(request, context));
  else await faults.delete(id, deletionOf(request, context));
  return redirect(context.path(withNotice('/faults', id === undefined ? 'faults_removed' : 'fault_removed')));
}

interface RefusedFault {
  readonly form: Parameters;
  readonly problem: string;
}

async function showFaults(
  request: ParsedRequest,
  context: ManagementContext,
  chosen: FaultRow | undefined,
  refused?: RefusedFault,
): Promise<Reply> {
  const faults = await context.store.faults.list();
  return managementPage(request, context, {
    title: 'Faults',
    section: '/faults',
    address: '/faults',
    lead: 'Make this identity provider misbehave on purpose, and see how your client reacts.',
    status: refused === undefined ? 200 : 400,
    notice: refused && (
      <Notice kind="refusal" title="The fault was not set">
        {refused.problem}
      </Notice>
    ),
    children: (
      <>
        {chosen !== undefined && <FaultForm row={chosen} typed={refused?.form} />}
        <SetFaults faults={faults} />
        <Catalogue />
      </>
    ),
  });
}

function SetFaults({ faults }: { readonly faults: readonly Fault[] }) {
  const mine = faults.some(({ origin }) => origin === 'runtime');
  return (
    <Card
      title="Active faults"
      actions={
        mine && (
          <OwnForm method="post" action="/faults/delete">
            <Button kind="danger">Delete all</Button>
          </OwnForm>
        )
      }
    >
      {faults.length === 0 ? (
        <EmptyState title="No faults">Choose a fault from the catalogue below.</EmptyState>
      ) : (
        <Table
          caption="Active faults"
          rows={faults}
          rowKey={({ id }) => id}
          columns={[
            { heading: 'Fault', role: 'main', cell: ({ fault }) => <code>{fault}</code> },
            { heading: 'Where', cell: (fault) => <Where fault={fault} /> },
            { heading: 'Remaining', width: 'narrow', cell: ({ remaining }) => remainingText(remaining) },
            { heading: 'Fired', width: 'narrow', cell: ({ hits }) => hits },
            { heading: 'Actions', role: 'actions', cell: (fault) => <Removal fault={fault} /> },
          ]}
        />
      )}
    </Card>
  );
}

function remainingText(remaining: number | null) {
  if (remaining === null) return 'no limit';
  return remaining === 0 ? <Tag>used up</Tag> : remaining;
}

function Where({ fault: { at, when } }: { readonly fault: Fault }) {
  const conditions = Object.entries(when).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`${name} ${typeof value === 'object' ? value.name : value}`];
  });
  const places = at.length > 8 ? 'any endpoint' : at.join(', ');
  return <>{[places, ...conditions].join(' · ')}</>;
}

function Removal({ fault: { id, fault, origin } }: { readonly fault: Fault }) {
  if (origin === 'declared') return <span class="soft">declared in settings.yaml</span>;
  return (
    <OwnForm method="post" action="/faults/delete">
      <Hidden name="id" value={id} />
      <Button kind="danger" small label={`Delete ${fault}`}>
        Delete
      </Button>
    </OwnForm>
  );
}

const clientWords = {
  reject: 'rejects it',
  accept: 'accepts it',
  recover: 'recovers',
  either: 'may do either',
} as const satisfies Record<FaultRow['client'], string>;

function Catalogue() {
  return (
    <Card title="Catalogue" lead="Open a family and choose a fault.">
      {everyFaultFamily.map(({ title, faults }) => (
        <details key={title} class="fault-family">
          <summary>
            {title} <span class="soft">{faults.length}</span>
          </summary>
          <Table
            caption={title}
            rows={faults}
            rowKey={({ name }) => name}
            columns={[
              {
                heading: 'Fault',
                role: 'main',
                cell: ({ name }) => (
                  <OwnLink href={`/faults?fault=${name}`}>
                    <code>{name}</code>
                  </OwnLink>
                ),
              },
              { heading: 'Effect', cell: ({ effect }) => <WithCode text={effect} /> },
              { heading: 'A correct client', width: 'medium', cell: ({ client }) => clientWords[client] },
              {
                heading: 'Standard',
                width: 'medium',
                cell: ({ source }) => (source === '(A)' ? 'test-idp' : source),
              },
            ]}
          />
        </details>
      ))}
    </Card>
  );
}
