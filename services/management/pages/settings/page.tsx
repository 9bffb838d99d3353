// /settings: the keys of settings.yaml that a form may change, in one write, and those that only the file may (WEB-10 to
// WEB-14).
import type { ComponentChildren } from 'preact';
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { Button, ButtonLink } from '#shared/pages/components/button.tsx';
import { Card } from '#shared/pages/components/card.tsx';
import { Facts } from '#shared/pages/components/facts.tsx';
import { Field, Select, TextArea } from '#shared/pages/components/field.tsx';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { ReloadForm } from '../files-on-disk.tsx';
import { type FieldErrors, FileForm, FormActions, FormSection, MarkedCheckbox, noErrors } from '../form-parts.tsx';
import { withNotice } from '../notices.ts';
import { type FormState, formAnswer, formRevision, save, savedNotice } from '../save.tsx';
import { type ManagementPage, managementPage } from '../shell.tsx';
import { fileOnlySettings } from './file-only-settings.ts';
import { type SettingField, type SettingGroup, settingGroups, settingNotes } from './settings-fields.ts';
import { readSettingsForm, type SettingsFormValues, valuesOfForm, valuesOfSettings } from './settings-form-values.ts';

type Told = Pick<ManagementPage, 'status' | 'notice'>;

export async function settingsPage(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  return showSettings(request, context);
}

/** The form as what is in force fills it, with what another action of this page has to tell. */
export function showSettings(request: ParsedRequest, context: RequestContext, told: Told = {}): Promise<Reply> {
  return showForm(request, context, { values: valuesOfSettings(context.snapshot.settings) }, told);
}

export async function saveSettings(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { settings } = context.snapshot;
  const values = valuesOfForm(request.form, valuesOfSettings(settings));
  const reading = readSettingsForm(request.form, settings);
  if (reading.outcome === 'refused') return showForm(request, context, { values, errors: reading.errors });
  // Written even without a change: a revision that no longer matches must be told (WEB-12).
  const result = await save(request, context, 'settings', reading.changes);
  if (!result.saved) return showForm(request, context, { values, refusal: result });
  const code = reading.changes.length === 0 ? 'settings_unchanged' : 'settings_saved';
  return redirect(context.path(withNotice('/settings', savedNotice(result, code))));
}

function showForm(
  request: ParsedRequest,
  context: RequestContext,
  shown: FormState<SettingsFormValues>,
  told: Told = {},
): Promise<Reply> {
  const { snapshot, issuer } = context;
  const { entity_id, sso_url } = effectiveSamlAddresses(snapshot.settings.saml, issuer);
  const placeholders = new Map([
    ['saml_entity_id', entity_id],
    ['saml_sso_url', sso_url],
  ]);
  const remarks = new Map([['issuer', <IssuerInForce key="issuer" context={context} />]]);
  return managementPage(request, context, {
    title: 'Settings',
    section: '/settings',
    lead: 'Saved into settings.yaml in one write, comments and placeholders kept, and in force at once.',
    address: '/settings',
    ...formAnswer(shown, '/settings'),
    ...told,
    children: (
      <>
        <FileForm action="/settings" revision={formRevision(request, context, 'settings')}>
          {settingGroups.map((group) => (
            <Group
              key={group.title}
              group={group}
              values={shown.values}
              errors={shown.errors ?? noErrors}
              placeholders={placeholders}
              remarks={remarks}
            />
          ))}
          <FormActions>
            <Button>Save settings</Button>
            <ButtonLink href="/settings">Discard</ButtonLink>
          </FormActions>
        </FileForm>
        <FileOnly context={context} />
      </>
    ),
  });
}

interface GroupProps {
  readonly values: SettingsFormValues;
  readonly errors: FieldErrors;
  readonly placeholders: ReadonlyMap<string, string>;
  /** What a field's hint says besides, of this very moment. */
  readonly remarks: ReadonlyMap<string, ComponentChildren>;
}

function Group({ group, ...props }: GroupProps & { readonly group: SettingGroup }) {
  const flags = group.fields.filter(({ kind }) => kind === 'flag');
  return (
    <FormSection title={group.title} {...(group.lead === undefined ? {} : { lead: group.lead })}>
      <div class="field-grid">
        {group.fields
          .filter(({ kind }) => kind !== 'flag')
          .map((field) => (
            <Setting key={field.name} field={field} {...props} />
          ))}
      </div>
      {flags.length > 0 && (
        <div class="field-grid">
          {flags.map((field) => (
            <Setting key={field.name} field={field} {...props} />
          ))}
        </div>
      )}
    </FormSection>
  );
}

function Setting({ field, values, errors, placeholders, remarks }: GroupProps & { readonly field: SettingField }) {
  const notes = settingNotes(field.path);
  const value = values.get(field.name);
  const text = typeof value === 'string' ? value : '';
  const common = {
    name: field.name,
    label: field.label,
    error: errors.get(field.name),
    hint: (
      <>
        <Hint description={notes.description} restart={notes.restart} />
        {remarks.get(field.name)}
      </>
    ),
  };
  switch (field.kind) {
    case 'flag':
      return <MarkedCheckbox {...common} checked={value === true} />;
    case 'lines':
      return <TextArea {...common} value={text} monospace />;
    case 'choice':
      return (
        <Select
          {...common}
          value={text}
          options={(field.options ?? []).map((option) => ({ value: option, label: option }))}
        />
      );
    case 'number':
      return (
        <Field {...common} type="number" value={text} min={notes.minimum} max={notes.maximum} inputMode="numeric" />
      );
    case 'text':
      return <Field {...common} value={text} placeholder={placeholders.get(field.name)} spellcheck={false} />;
  }
}

/** The issuer that tokens carry where the request's own address makes it, and the file says another one. */
function IssuerInForce({ context: { issuer, snapshot } }: { readonly context: RequestContext }) {
  if (issuer === snapshot.settings.oauth.issuer) return null;
  return (
    <strong>
      {' '}
      Tokens requested at the address you are using now carry <code>{issuer}</code>.
    </strong>
  );
}

/** The model's words; `code` in backquotes becomes code. */
function Hint({ description, restart }: { readonly description: string; readonly restart: boolean }) {
  return (
    <>
      {description.split('`').map((part, index) => (index % 2 === 1 ? <code key={String(index)}>{part}</code> : part))}
      {restart && <strong> Takes effect at the next start.</strong>}
    </>
  );
}

function FileOnly({ context }: { readonly context: RequestContext }) {
  return (
    <Card
      title="Changed in the file only"
      actions={<ReloadForm address="/settings" />}
      lead={
        <>
          These keys are read from <code>settings.yaml</code>; edit the file and reload or restart. Secrets and commands
          are never shown.
        </>
      }
    >
      <Facts
        class="facts-code"
        facts={fileOnlySettings(context.snapshot).map(({ path, value }) => [
          <code key="path">{path}</code>,
          <bdi key="value">{value}</bdi>,
        ])}
      />
    </Card>
  );
}
