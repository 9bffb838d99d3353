// /claims: the authority prefixes (WEB-16), and below them the claims in a user's tokens (claims-preview.tsx).
import type { Parameters } from '#shared/base/parameters.ts';
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Field } from '#shared/web/pages/components/field.tsx';
import { formAnswer, formRevision, type Refusal, save, savedNotice } from './answer-save.tsx';
import { claimsPreview } from './claims-preview.tsx';
import { FileForm, FormActions, FormSection, RowLabel } from './form-parts.tsx';
import { repeatedField } from './form-values.ts';
import { withNotice } from './notices.ts';
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

export async function claimsPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showPage(request, context, shownPrefixes(prefixesInForce(context)));
}

export async function saveClaims(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
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

function prefixesInForce({ snapshot }: ProtocolContext): Prefixes {
  return new Map(Object.entries(snapshot.settings.authority_prefixes));
}

/**
 * The prefixes of the five fields. A blank field means the built-in prefix. Exception: if the file explicitly sets no
 * prefix (CLM-12), that stays until the user types one.
 */
function typedSources(form: Parameters, context: ProtocolContext): Prefixes {
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

async function showPage(request: ParsedRequest, context: ManagementContext, shown: Shown): Promise<Reply> {
  const rows: readonly PrefixRow[] = shown.custom.some(([key]) => key === '')
    ? shown.custom
    : [...shown.custom, ['', '']];
  return managementPage(request, context, {
    title: 'Claims',
    section: '/claims',
    lead: 'How a user’s roles, groups and other fields become authorities in a token.',
    ...formAnswer({ refusal: shown.refusal }, '/claims'),
    children: (
      <>
        <FileForm action="/claims" revision={formRevision(request, context, 'settings')}>
          <FormSection
            title="Prefixes"
            lead="A prefix goes before each value. The values of roles and groups are written in capitals."
          >
            <div class="field-grid">
              {sources.map(({ key, label, fallback }) => (
                <Field
                  key={key}
                  name={`prefix_${key}`}
                  label={label}
                  value={shown.prefixes.get(key) ?? ''}
                  placeholder={shown.prefixes.get(key) === '' ? 'no prefix' : fallback}
                  hint={`Blank: ${shown.prefixes.get(key) === '' ? 'no prefix, as in the file' : fallback}.`}
                  spellcheck={false}
                  class="input-code"
                />
              ))}
            </div>
          </FormSection>
          <FormSection
            title="Attributes"
            lead="These attributes become authorities too. Rows without a name are ignored."
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
        {await claimsPreview(request, context)}
      </>
    ),
  });
}
