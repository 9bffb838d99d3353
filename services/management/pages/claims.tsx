// /claims: the authority prefixes, and what they make of a user (WEB-16). The preview is a page of its own address and,
// for programs, /claims/preview/<username>.
import type { User } from '#shared/configuration/model/user-entry.ts';
import { findEffectiveUser } from '#shared/domain/effective-identities.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { json, type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { authoritiesOf } from '#shared/issuing/authorities.ts';
import { Button, ButtonLink } from '#shared/pages/components/button.tsx';
import { Card } from '#shared/pages/components/card.tsx';
import { CodeBlock } from '#shared/pages/components/code-block.tsx';
import { Field } from '#shared/pages/components/field.tsx';
import { OwnForm } from '#shared/pages/components/own-link.tsx';
import { Tags } from '#shared/pages/components/tag.tsx';
import { FileForm, FormActions, FormSection, RowLabel } from './form-parts.tsx';
import { repeatedField } from './form-values.ts';
import { withNotice } from './notices.ts';
import { formAnswer, formRevision, type Refusal, save, savedNotice } from './save.tsx';
import { managementPage } from './shell.tsx';

const sources = [
  { key: 'roles', label: 'Roles', fallback: 'ROLE_' },
  { key: 'groups', label: 'Groups', fallback: 'GROUP_' },
  { key: 'identity_class', label: 'Identity class', fallback: 'IDENTITY_' },
  { key: 'entitlements', label: 'Entitlements', fallback: 'ENT_' },
  { key: 'source_acl', label: 'ACL entries', fallback: 'no prefix' },
] as const;

const sourceKeys: ReadonlySet<string> = new Set(sources.map(({ key }) => key));

type Prefixes = ReadonlyMap<string, string>;
type PrefixRow = readonly [key: string, prefix: string];

interface Shown {
  readonly prefixes: Prefixes;
  readonly custom: readonly PrefixRow[];
  readonly refusal?: Refusal;
}

export async function claimsPage(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  return showPage(request, context, shownPrefixes(prefixesInForce(context)));
}

export async function saveClaims(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { form } = request;
  const custom = customRows(form);
  if (form.has('add_prefix')) {
    return showPage(request, context, {
      prefixes: typedSources(form, context),
      custom: [...custom, ['', ''], ['', '']],
    });
  }
  const prefixes = new Map([...typedSources(form, context), ...custom.filter(([key]) => key !== '')]);
  const value = prefixes.size === 0 ? undefined : Object.fromEntries(prefixes);
  const result = await save(request, context, 'settings', [{ kind: 'set', path: 'authority_prefixes', value }]);
  if (!result.saved) return showPage(request, context, { prefixes, custom, refusal: result });
  return redirect(context.path(withNotice('/claims', savedNotice(result, 'claims_saved'))));
}

/** GET /claims/preview/<username> for programs. */
export async function previewClaims(request: ParsedRequest, { snapshot, store }: RequestContext): Promise<Reply> {
  const found = await findEffectiveUser(snapshot, store, request.pathParameters.username ?? '');
  if (found === undefined) return json(404, { error: 'There is no user with that name.' });
  return json(200, previewOf(found.user, snapshot.settings.authority_prefixes), {
    'Cache-Control': 'no-cache, private',
  });
}

function previewOf(user: User, prefixes: Readonly<Record<string, string>>) {
  const { identity_class, entitlements, roles, groups, tenant, source_acl, attributes } = user;
  return {
    username: user.username,
    authorities: authoritiesOf(user, prefixes),
    claims: { identity_class, entitlements, roles, groups, tenant, source_acl, attributes },
  };
}

function prefixesInForce({ snapshot }: RequestContext): Prefixes {
  return new Map(Object.entries(snapshot.settings.authority_prefixes));
}

/**
 * The prefixes of the five fields. A blank field means the built-in one, except where the file says explicitly that there
 * is none (CLM-12): that stays until something is typed.
 */
function typedSources(form: Parameters, context: RequestContext): Prefixes {
  const inForce = prefixesInForce(context);
  const typed = sources.flatMap(({ key }): PrefixRow[] => {
    const value = (form.first(`prefix_${key}`) ?? inForce.get(key) ?? '').trim();
    return value !== '' || inForce.get(key) === '' ? [[key, value]] : [];
  });
  return new Map(typed);
}

function customRows(form: Parameters): PrefixRow[] {
  const values = repeatedField(form, 'custom_prefix_value[]');
  return repeatedField(form, 'custom_prefix_key[]')
    .map((key, index): PrefixRow => [key.trim(), (values[index] ?? '').trim()])
    .filter(([key, prefix]) => key !== '' || prefix !== '');
}

function shownPrefixes(prefixes: Prefixes): Shown {
  return { prefixes, custom: [...prefixes].filter(([key]) => !sourceKeys.has(key)) };
}

async function showPage(request: ParsedRequest, context: RequestContext, shown: Shown): Promise<Reply> {
  const rows: readonly PrefixRow[] = shown.custom.some(([key]) => key === '')
    ? shown.custom
    : [...shown.custom, ['', '']];
  return managementPage(request, context, {
    title: 'Claims',
    section: '/claims',
    lead: 'How roles, groups and other fields of a user become the authorities in a token.',
    ...formAnswer({ refusal: shown.refusal }, '/claims'),
    children: (
      <>
        <FileForm action="/claims" revision={formRevision(request, context, 'settings')}>
          <FormSection
            title="Prefixes"
            lead="Put before each value. Roles and groups are written in capitals behind it."
          >
            <div class="field-grid">
              {sources.map(({ key, label, fallback }) => (
                <Field
                  key={key}
                  name={`prefix_${key}`}
                  label={label}
                  value={shown.prefixes.get(key) ?? ''}
                  placeholder={shown.prefixes.get(key) === '' ? 'no prefix' : fallback}
                  hint={`Blank: ${shown.prefixes.get(key) === '' ? 'no prefix, as the file says' : fallback}.`}
                  spellcheck={false}
                  class="input-code"
                />
              ))}
            </div>
          </FormSection>
          <FormSection
            title="Attributes"
            lead="Attributes named here become authorities too. A row without name is dropped."
          >
            <ul class="attribute-rows">
              {rows.map(([key, prefix], index) => (
                <li key={String(index)} class="attribute-row attribute-row-two">
                  <Field
                    name="custom_prefix_key[]"
                    id={`prefix-key-${index}`}
                    label={<RowLabel text="Attribute" number={index + 1} />}
                    value={key}
                    spellcheck={false}
                  />
                  <Field
                    name="custom_prefix_value[]"
                    id={`prefix-value-${index}`}
                    label={<RowLabel text="Prefix" number={index + 1} />}
                    value={prefix}
                    spellcheck={false}
                    class="input-code"
                  />
                </li>
              ))}
            </ul>
            <div>
              <Button kind="secondary" name="add_prefix" value="1">
                Add a row
              </Button>
            </div>
          </FormSection>
          <FormActions>
            <Button>Save prefixes</Button>
            <ButtonLink href="/claims">Discard</ButtonLink>
          </FormActions>
        </FileForm>
        <Preview
          user={await previewedUser(request, context)}
          asked={request.query.value('username')}
          context={context}
        />
      </>
    ),
  });
}

async function previewedUser({ query }: ParsedRequest, { snapshot, store }: RequestContext): Promise<User | undefined> {
  const username = query.value('username');
  return username === undefined ? undefined : (await findEffectiveUser(snapshot, store, username))?.user;
}

interface PreviewProps {
  readonly user: User | undefined;
  readonly asked: string | undefined;
  readonly context: RequestContext;
}

function Preview({ user, asked, context }: PreviewProps) {
  const missing = asked !== undefined && user === undefined ? 'There is no user with that name.' : undefined;
  return (
    <Card title="Preview" lead="What the saved prefixes make of a user.">
      <OwnForm method="get" action="/claims" class="inline-form">
        <Field
          name="username"
          label="User"
          value={asked ?? ''}
          error={missing}
          autoComplete="off"
          spellcheck={false}
          required
        />
        <Button kind="secondary">Show</Button>
      </OwnForm>
      {user !== undefined && <PreviewedClaims user={user} prefixes={context.snapshot.settings.authority_prefixes} />}
    </Card>
  );
}

function PreviewedClaims({
  user,
  prefixes,
}: {
  readonly user: User;
  readonly prefixes: Readonly<Record<string, string>>;
}) {
  const { authorities, claims } = previewOf(user, prefixes);
  return (
    <>
      {authorities.length === 0 ? (
        <p class="soft">No authorities: the claim is left out.</p>
      ) : (
        <Tags values={authorities} kind="accent" />
      )}
      <CodeBlock id="preview-claims" title="claims" text={JSON.stringify(claims, null, 2)} />
    </>
  );
}
