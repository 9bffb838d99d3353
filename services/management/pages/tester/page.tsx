// /test: a token for a declared user, shown decoded with the curl command that issues it, and a decoder for any pasted
// token (WEB-18). The tokens are issued by the same steps as in POST /api/users/{username}/token.

import type { ComponentChildren } from 'preact';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import {
  auditEvent,
  type ManagementContext,
  type ParsedRequest,
  type ProtocolContext,
} from '#shared/engine/exchange/request.ts';
import { effectiveClientNames, findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import { changedClaimNames, readClaimChanges } from '#shared/engine/tokens/claim-changes.ts';
import { tokenLifetimeMinutes } from '#shared/model/configuration/settings/token-lifetimes.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Field, Select, TextArea } from '#shared/web/pages/components/field.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { issueTestToken } from '../../issue-test-token.ts';
import { bindFields, type FieldErrors, noErrors } from '../form-parts.tsx';
import { textField } from '../form-values.ts';
import { managementPage } from '../shell.tsx';
import { tokenCurl } from './curl.ts';
import { describeToken } from './describe-token.ts';
import { TokenCard } from './token-card.tsx';

const { least, most } = tokenLifetimeMinutes;

interface TesterValues {
  readonly username: string;
  readonly client_id: string;
  readonly exp_minutes: string;
  readonly audience: string;
  readonly set_claims: string;
  readonly remove_claims: string;
  readonly token: string;
}

interface Shown {
  readonly values: TesterValues;
  readonly errors?: FieldErrors;
  readonly result?: ComponentChildren;
}

const noValues: TesterValues = {
  ...{ username: '', client_id: '', exp_minutes: '', token: '' },
  ...{ audience: '', set_claims: '', remove_claims: '' },
};
const selectableUsersMax = 200;

export async function testerPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showTester(request, context, { values: { ...noValues, username: request.query.value('username') ?? '' } });
}

export async function obtainToken(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { form } = request;
  const { snapshot, store, clock } = context;
  const values = {
    ...noValues,
    username: form.first('username') ?? '',
    client_id: textField(form, 'client_id') ?? '',
    exp_minutes: textField(form, 'exp_minutes') ?? '',
    audience: textField(form, 'audience') ?? '',
    set_claims: textField(form, 'set_claims') ?? '',
    remove_claims: textField(form, 'remove_claims') ?? '',
  };
  const errors = new Map<string, string>();
  const user = snapshot.users.get(values.username);
  if (user === undefined) errors.set('username', 'Choose a declared user.');
  const client =
    values.client_id === '' ? undefined : await findEffectiveClient(snapshot, store, values.client_id, clock.now());
  if (values.client_id !== '' && client === undefined) errors.set('client_id', 'This client does not exist.');
  const minutes = values.exp_minutes === '' ? undefined : Number(values.exp_minutes);
  if (minutes !== undefined && !(Number.isInteger(minutes) && minutes >= least && minutes <= most)) {
    errors.set('exp_minutes', `Enter a whole number of minutes from ${least} to ${most}.`);
  }
  const wanted = wantedChanges(values);
  const changes = readClaimChanges(wanted ?? {}, { idToken: false, hasResource: false });
  if (wanted === undefined) errors.set('set_claims', 'Enter a JSON object, such as {"department": "ops"}.');
  const isWrong = changes !== undefined && 'problem' in changes;
  if (isWrong) errors.set('set_claims', changes.problem);
  if (user === undefined || errors.size > 0 || isWrong) return showTester(request, context, { values, errors });
  const tokens = await issueTestToken({ user }, client, { lifetimeMinutes: minutes, changes }, context);
  await context.audit.record(
    auditEvent(request, context, {
      event_type: 'token_request',
      username: user.username,
      client_id: client?.client.client_id,
      endpoint: '/test',
      status: 'success',
      details: {
        exp_minutes: tokens.expires_in / 60,
        ...changedClaimNames(changes),
        authorities_count: authoritiesOf(user, snapshot.settings.authority_prefixes).length,
      },
    }),
  );
  const curl = tokenCurl({
    base: context.requestOrigin + context.path(''),
    username: user.username,
    clientId: client?.client.client_id,
    expMinutes: minutes,
    changes: wanted ?? {},
    gated: snapshot.managementSecret !== undefined,
  });
  const described = await describeToken(tokens.access_token, context);
  return showTester(request, context, {
    values,
    result: (
      <>
        {described !== undefined && (
          <TokenCard title="Access token" token={tokens.access_token} described={described} />
        )}
        {tokens.refresh_token !== undefined && (
          <Card title="Refresh token" lead="Bound to the client, which can use it at /token.">
            <CodeBlock id="refresh-token" title="refresh_token" text={tokens.refresh_token} token />
          </Card>
        )}
        <Card title="The same with curl">
          <CodeBlock id="curl" title="curl" text={curl} />
        </Card>
      </>
    ),
  });
}

/** As the REST API names them. undefined: the claims are no JSON object. */
function wantedChanges({ audience, set_claims, remove_claims }: TesterValues) {
  const set = set_claims === '' ? {} : objectIn(set_claims);
  if (set === undefined) return undefined;
  const names = remove_claims.split(',').map((name) => name.trim());
  const remove = names.filter((name) => name !== '');
  return {
    ...(audience === '' ? {} : { audience }),
    ...(set_claims === '' ? {} : { set_claims: set }),
    ...(remove.length === 0 ? {} : { remove_claims: remove }),
  };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a pasted token. It only reads, so it needs no unlocking. */
export async function decodePastedToken(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const token = textField(request.form, 'token') ?? '';
  const values = { ...noValues, token };
  const described = token === '' ? undefined : await describeToken(token, context);
  if (described === undefined) {
    const expected = 'Expected: three base64url parts separated by dots, with JSON of at most 100 levels';
    const errors = new Map([['token', `This is not a readable JWT. ${expected}.`]]);
    return showTester(request, context, { values, errors });
  }
  const result = <TokenCard title="Pasted token" token={token} described={described} />;
  return showTester(request, context, { values, result });
}

async function showTester(
  request: ParsedRequest,
  context: ManagementContext,
  { values, errors = noErrors, result }: Shown,
): Promise<Reply> {
  return managementPage(request, context, {
    title: 'Token tester',
    section: '/test',
    address: '/test',
    lead: 'Get a token without a login, or inspect one that you have.',
    status: errors.size > 0 ? 400 : 200,
    noStore: true,
    children: (
      <>
        {result}
        <Card title="Get a token">
          {context.snapshot.users.size === 0 ? (
            <NoUsers />
          ) : (
            <TokenForm values={values} errors={errors} clients={await clientNames(context)} context={context} />
          )}
        </Card>
        <Card title="Inspect a token" lead="Shows header, claims and signature. Nothing is stored.">
          <OwnForm method="post" action="/test/decode" class="form">
            <TextArea
              {...bindFields(values, errors)('token')}
              label="Token"
              hint="An access token, ID token or refresh token, as a compact JWT."
              rows={4}
              monospace
            />
            <div>
              <Button kind="secondary">Decode</Button>
            </div>
          </OwnForm>
        </Card>
      </>
    ),
  });
}

async function clientNames({ snapshot, store, clock }: ProtocolContext): Promise<readonly string[]> {
  const { declared, runtime, documents } = await effectiveClientNames(snapshot, store, clock.now());
  return [...declared, ...runtime, ...documents];
}

interface TokenFormProps {
  readonly values: TesterValues;
  readonly errors: FieldErrors;
  readonly clients: readonly string[];
  readonly context: ProtocolContext;
}

function TokenForm({ values, errors, clients, context }: TokenFormProps) {
  const { users, settings } = context.snapshot;
  const field = bindFields(values, errors);
  return (
    <OwnForm method="post" action="/test" class="form">
      <div class="field-grid">
        <Choice {...field('username')} label="User" names={[...users.keys()]} />
        <Choice
          {...field('client_id')}
          label="Client"
          hint="A token for a client comes with a refresh token."
          names={clients}
          none="No client"
        />
        <Field
          {...field('exp_minutes')}
          type="number"
          label="Lifetime, minutes"
          min={least}
          max={most}
          placeholder={String(settings.oauth.token_expiry_minutes)}
          hint={`${least} to ${most}. Leave blank for the configured lifetime.`}
        />
        <Field
          {...field('audience')}
          label="Audience"
          placeholder={settings.oauth.audience}
          hint="aud of the token, any text."
        />
      </div>
      <TextArea
        {...field('set_claims')}
        label="Set claims"
        hint='A JSON object, such as {"roles": ["ADMIN"], "azp": "app"}. Applied last, any name and value.'
        rows={3}
        monospace
      />
      <Field
        {...field('remove_claims')}
        label="Remove claims"
        hint="Names, separated by commas. The token has none of them."
      />
      <div>
        <Button>Get token</Button>
      </div>
    </OwnForm>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly hint?: string;
  readonly names: readonly string[];
  /** The label of the choice "none". */
  readonly none?: string;
}

/** A list to choose from, or a text field when the list would be too long. */
function Choice({ names, none, ...field }: ChoiceProps) {
  if (names.length > selectableUsersMax) return <Field {...field} autoComplete="off" spellcheck={false} />;
  const options = names.map((value) => ({ value, label: value }));
  return <Select {...field} options={none === undefined ? options : [{ value: '', label: none }, ...options]} />;
}

function NoUsers() {
  return (
    <EmptyState
      title="No declared users"
      action={
        <ButtonLink href="/users/create" kind="primary">
          Create a user
        </ButtonLink>
      }
    >
      This page issues tokens for users of users.yaml.
    </EmptyState>
  );
}
