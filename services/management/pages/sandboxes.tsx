// /sandboxes: the existing sandboxes, with the values that a client is configured with. Forms create, reset and delete
// them (SBX-50).

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { SandboxCreation } from '#shared/engine/sandboxes/open-sandboxes.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';
import { sandboxKeyKinds, sandboxLifetimeSeconds, sandboxPrefix } from '#shared/model/domain/sandbox.ts';
import { sandboxRefusals } from '#shared/model/refusals/families/sandboxes.ts';
import { issuerBelow } from '#shared/protocol/oidc/issuer-address.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Field, Hidden, Select, TextArea } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { sandboxEvent } from '../sandboxes.ts';
import { countText } from './count-text.ts';
import { Moment } from './instants.tsx';
import { withNotice } from './notices.ts';
import { managementPage } from './shell.tsx';

const path = '/sandboxes';
const { least, most, byDefault } = sandboxLifetimeSeconds;

export async function sandboxesPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showSandboxes(request, context, emptyForm);
}

export async function createSandbox(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const typed = readForm(request);
  const read = requestOf(typed);
  const creation: SandboxCreation =
    typeof read === 'string'
      ? { outcome: 'invalid', message: read }
      : await context.sandboxes.create(read, sandboxEvent('sandbox_created', request, context));
  if (creation.outcome !== 'created') return showSandboxes(request, context, typed, creation);
  return redirect(context.path(withNotice(path, 'sandbox_created', creation.sandbox.name)));
}

export async function resetSandbox(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const name = request.form.first('name') ?? '';
  const reset = await context.sandboxes.reset(name, sandboxEvent('sandbox_reset', request, context));
  return redirect(context.path(withNotice(path, reset === undefined ? 'sandbox_unknown' : 'sandbox_reset', name)));
}

export async function deleteSandbox(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const name = request.form.first('name') ?? '';
  const ended = await context.sandboxes.end([name], sandboxEvent('sandbox_deleted', request, context));
  return redirect(context.path(withNotice(path, ended === 0 ? 'sandbox_unknown' : 'sandbox_deleted', name)));
}

interface TypedForm {
  readonly name: string;
  readonly ttl_seconds: string;
  readonly keys: string;
  readonly settings: string;
}

const emptyForm: TypedForm = { name: '', ttl_seconds: String(byDefault), keys: 'shared', settings: '' };

function readForm({ form }: ParsedRequest): TypedForm {
  const typed = (name: keyof TypedForm) => (form.first(name) ?? '').trim();
  return { name: typed('name'), ttl_seconds: typed('ttl_seconds'), keys: typed('keys'), settings: typed('settings') };
}

/** The body of the equivalent REST request. A string: the error of the form. */
function requestOf({ name, ttl_seconds, keys, settings }: TypedForm): object | string {
  const request = {
    ...(name === '' ? {} : { name }),
    ...(ttl_seconds === '' ? {} : { ttl_seconds: Number(ttl_seconds) }),
    ...(keys === '' ? {} : { keys }),
  };
  if (settings === '') return request;
  try {
    return { ...request, settings: JSON.parse(settings) };
  } catch {
    return 'settings must be a JSON object';
  }
}

async function showSandboxes(
  request: ParsedRequest,
  context: ManagementContext,
  typed: TypedForm,
  refused?: Exclude<SandboxCreation, { outcome: 'created' }>,
): Promise<Reply> {
  const sandboxes = await context.sandboxes.list();
  const count = sandboxes.length;
  return managementPage(request, context, {
    title: 'Sandboxes',
    section: path,
    address: path,
    lead: 'Isolated identity providers, each with its own issuer, runtime users, tokens, clock and audit. They expire automatically.',
    status: refused === undefined ? 200 : sandboxRefusals[`sandbox_${refused.outcome}`].status,
    notice: refused && (
      <Notice kind="refusal" title="The sandbox was not created">
        {sentenceOf(refused)}
      </Notice>
    ),
    children: (
      <>
        <Card title={count === 0 ? 'Sandboxes' : `${countText(count)} ${count === 1 ? 'sandbox' : 'sandboxes'}`}>
          {count === 0 ? (
            <EmptyState title="No sandboxes">
              Create one here, or in a test with <code>POST /api/sandboxes</code>.
            </EmptyState>
          ) : (
            <Table
              caption="Sandboxes"
              columns={columnsFor(context)}
              rows={sandboxes}
              rowKey={({ instanceId }) => instanceId}
              wideActions
            />
          )}
        </Card>
        <NewSandbox typed={typed} />
      </>
    ),
  });
}

function sentenceOf(refused: Exclude<SandboxCreation, { outcome: 'created' }>): string {
  const { sandbox_invalid, sandbox_exists, sandbox_limit } = sandboxRefusals;
  if (refused.outcome === 'invalid') return sandbox_invalid.answer({ problem: refused.message });
  if (refused.outcome === 'exists') return sandbox_exists.answer;
  return sandbox_limit.answer({ seconds: refused.retryAfterSeconds });
}

function columnsFor({ issuer, clock }: ProtocolContext): readonly Column<Sandbox>[] {
  // Their lifetime uses real time, even if this server's clock was moved.
  const now = clock.real();
  return [
    {
      heading: 'Sandbox',
      role: 'main',
      cell: ({ name, keys }) => (
        <>
          <div class="row">
            <OwnLink class="who-name" href={`${sandboxPrefix(name)}/`}>
              {name}
            </OwnLink>
            {keys === 'own' && <Tag>own key</Tag>}
          </div>
          <p class="soft small">
            <code>{issuerBelow(issuer, sandboxPrefix(name))}</code>
          </p>
        </>
      ),
    },
    {
      heading: 'Created',
      width: 'medium',
      cell: ({ createdAt }) => <Moment iso={new Date(createdAt).toISOString()} now={now} />,
    },
    {
      heading: 'Expires',
      width: 'medium',
      cell: ({ expiresAt }) => <Moment iso={new Date(expiresAt).toISOString()} now={now} />,
    },
    {
      heading: 'Actions',
      role: 'actions',
      cell: ({ name }) => (
        <span class="row row-end">
          <OneButton action={`${path}/reset`} name={name} verb="Reset" />
          <OneButton action={`${path}/delete`} name={name} verb="Delete" />
        </span>
      ),
    },
  ];
}

function OneButton({ action, name, verb }: { readonly action: string; readonly name: string; readonly verb: string }) {
  return (
    <OwnForm method="post" action={action}>
      <Hidden name="name" value={name} />
      <Button kind="secondary" small label={`${verb} ${name}`}>
        {verb}
      </Button>
    </OwnForm>
  );
}

function NewSandbox({ typed }: { readonly typed: TypedForm }) {
  return (
    <Card
      title="New sandbox"
      lead={
        <>
          Leave the name blank to generate one. Settings that you leave out are those of{' '}
          <OwnLink href="/settings">Settings</OwnLink>.
        </>
      }
    >
      <OwnForm method="post" action={path} class="form">
        <div class="field-grid">
          <Field
            name="name"
            label="Name"
            hint="Lower case letters, digits and -."
            value={typed.name}
            maxLength={63}
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
          />
          <Field
            name="ttl_seconds"
            type="number"
            label="Lifetime, seconds"
            value={typed.ttl_seconds}
            min={least}
            max={most}
            inputMode="numeric"
          />
          <Select
            name="keys"
            label="Signing key"
            value={typed.keys}
            options={sandboxKeyKinds.map((value) => ({
              value,
              label: value === 'own' ? 'Its own key' : 'The key of this server',
            }))}
          />
        </div>
        <TextArea
          name="settings"
          label="Its own settings"
          hint={
            <>
              JSON, nested as in settings.yaml, such as <code>{'{"security_profile": "oauth21"}'}</code>. Optional.
            </>
          }
          value={typed.settings}
          rows={3}
          monospace
        />
        <Button>Create sandbox</Button>
      </OwnForm>
    </Card>
  );
}
