// /settings: the keys of settings.yaml that a form may change, in one write, and those that only the file can set
// (WEB-10 to WEB-14).

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { settingsSections } from '#shared/model/configuration/form-sections.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { type FormState, formAnswer, formRevision, save, savedNotice } from '../answer-save.tsx';
import { ReloadForm } from '../files-on-disk.tsx';
import { FileForm, FormActions, noErrors } from '../form-parts.tsx';
import { type FormValues, shownValues, typedValues } from '../form-values.ts';
import { ModelSections } from '../model-form.tsx';
import { withNotice } from '../notices.ts';
import { type ManagementPage, managementPage } from '../shell.tsx';
import { fileOnlySettings } from './file-only-settings.ts';
import { readSettingsForm, settingsForm } from './settings-form-values.ts';

type Feedback = Pick<ManagementPage, 'status' | 'notice'>;

export async function settingsPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showSettings(request, context);
}

/** The form filled from the active configuration, with the message of another action of this page. */
export function showSettings(
  request: ParsedRequest,
  context: ManagementContext,
  feedback: Feedback = {},
): Promise<Reply> {
  return showForm(request, context, { values: shownValues(settingsForm, context.snapshot.settings) }, feedback);
}

export async function saveSettings(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { settings } = context.snapshot;
  const values = typedValues(settingsForm, request.form, shownValues(settingsForm, settings));
  const reading = readSettingsForm(request.form, settings);
  if (reading.outcome === 'refused') return showForm(request, context, { values, errors: reading.errors });
  // Written even without a change, because an outdated revision must be reported (WEB-12).
  const result = await save(request, context, 'settings', reading.changes);
  if (!result.saved) return showForm(request, context, { values, refusal: result });
  const code = reading.changes.length === 0 ? 'settings_unchanged' : 'settings_saved';
  return redirect(context.path(withNotice('/settings', savedNotice(result, code))));
}

function showForm(
  request: ParsedRequest,
  context: ManagementContext,
  shown: FormState<FormValues>,
  feedback: Feedback = {},
): Promise<Reply> {
  const { entity_id, sso_url } = effectiveSamlAddresses(context.snapshot.settings.saml, context);
  return managementPage(request, context, {
    title: 'Settings',
    section: '/settings',
    lead: 'Changes are saved to settings.yaml and take effect immediately. Comments and placeholders are kept.',
    address: '/settings',
    ...formAnswer(shown, '/settings'),
    ...feedback,
    children: (
      <>
        <FileForm action="/settings" revision={formRevision(request, context, 'settings')}>
          <ModelSections
            sections={settingsSections}
            fields={settingsForm}
            values={shown.values}
            errors={shown.errors ?? noErrors}
            known={{
              issuer: { remark: <IssuerInForce context={context} /> },
              saml_entity_id: { placeholder: entity_id },
              saml_sso_url: { placeholder: sso_url },
            }}
          />
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

/** The issuer in tokens, when it is derived from the request's address and differs from the one in the file. */
function IssuerInForce({ context: { issuer, snapshot } }: { readonly context: ProtocolContext }) {
  if (issuer === snapshot.settings.oauth.issuer) return null;
  return (
    <strong>
      {' '}
      Tokens that you request at your current address have the issuer <code>{issuer}</code>.
    </strong>
  );
}

function FileOnly({ context }: { readonly context: ProtocolContext }) {
  return (
    <Card
      title="Settings in the file only"
      actions={<ReloadForm address="/settings" />}
      lead={
        <>
          Change these keys in <code>settings.yaml</code>, then reload or restart. Secrets and commands are never shown.
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
