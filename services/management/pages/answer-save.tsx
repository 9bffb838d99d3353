// Turns the outcome of a write into a response for the user (WEB-12 to WEB-14): a redirect, or the same form with the
// input and the reason.

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';
import { type FormRefusalRow, formRefusals } from '#shared/model/refusals/families/forms.ts';
import { type Refusal as DeclaredRefusal, type Found, refused } from '#shared/model/refusals/refusal.ts';
import type { ConfigurationChange, WriteOutcome } from '#shared/state/configuration/active-configuration.ts';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type FieldErrors, FieldsRefused, noErrors } from './form-parts.tsx';
import { type NoticeCode, withNotice } from './notices.ts';
import type { ManagementPage } from './shell.tsx';

/** The file a form belongs to. */
type FormFile = 'settings' | 'users';

export interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  /** Names that the file already contains, or no longer contains: the form shows the message at its name field. */
  readonly field?: 'name' | undefined;
  /** The form shows outdated values. Opening it again helps, once the files on disk are active. */
  readonly stale?: 'in_force' | 'on_disk';
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** `hookFailed`: on_config_saved failed after the write. */
type SaveResult = { readonly saved: true; readonly hookFailed: boolean } | ({ readonly saved: false } & Refusal);

export async function save(
  request: ParsedRequest,
  context: ManagementContext,
  file: FormFile,
  changes: readonly ConfigurationChange[],
): Promise<SaveResult> {
  const revision = request.form.value('expected_revision');
  const expected = file === 'users' ? { users: revision } : { settings: revision };
  const outcome = await context.configuration.write(changes, revision === undefined ? {} : { expected });
  const fileName = `${file}.yaml` as const;
  if (outcome.outcome !== 'written') return { saved: false, ...refusal(outcome, fileName, context) };
  if (outcome.hookError !== undefined) context.log.warn({ reason: outcome.hookError }, 'on_config_saved hook failed');
  if (outcome.activationError === undefined) return { saved: true, hookFailed: outcome.hookError !== undefined };
  return {
    saved: false,
    ...sectionOf(fileName, formRefusals.form_not_activated, { problem: outcome.activationError }),
  };
}

function refusal(
  outcome: Exclude<WriteOutcome, { outcome: 'written' }>,
  file: ConfigurationFileName,
  { configuration }: ManagementContext,
): Refusal {
  switch (outcome.outcome) {
    case 'exists':
    case 'unknown':
      return sectionOf(file, formRefusals[`form_name_${outcome.outcome}`], { file });
    case 'conflict': {
      const stale = outcome.stale ?? (configuration.changedOnDisk().includes(file) ? 'on_disk' : 'in_force');
      return { ...sectionOf(file, formRefusals.form_conflict), stale };
    }
    case 'lock_timeout':
    case 'lock_unsupported':
    case 'no_configuration_directory':
    case 'not_writable':
      return sectionOf(file, formRefusals[`form_${outcome.outcome}`]);
    case 'refused':
      return sectionOf(file, formRefusals.form_withdrawn);
    case 'unloadable':
    case 'write_failed':
      return sectionOf(file, formRefusals[`form_${outcome.outcome}`], { problem: outcome.message });
  }
}

function sectionOf<Row extends FormRefusalRow & DeclaredRefusal>(
  file: ConfigurationFileName,
  row: Row,
  ...found: Found<Row>
): Refusal {
  const { status, field, headers } = row;
  const title = typeof row.title === 'string' ? row.title : row.title(file);
  return { status, title, message: refused(row, ...found).message, field, headers };
}

/** The notice of the redirect after a write: `code`, unless the hook failed. */
export function savedNotice({ hookFailed }: { readonly hookFailed: boolean }, code: NoticeCode): NoticeCode {
  return hookFailed ? 'saved_hook_failed' : code;
}

/**
 * The response after the form of one entry: the page that shows it, or the form again. A name that is taken is reported
 * at its field.
 */
export async function answerSaved(
  context: ProtocolContext,
  result: SaveResult,
  entry: {
    readonly code: NoticeCode;
    readonly path: string;
    readonly name: string;
    readonly nameField: string;
    again(refused: Required<Omit<FormState<unknown>, 'values'>>): Promise<Reply>;
  },
): Promise<Reply> {
  if (result.saved) {
    return redirect(context.path(withNotice(entry.path, savedNotice(result, entry.code), entry.name)));
  }
  const errors = result.field === 'name' ? new Map([[entry.nameField, result.message]]) : noErrors;
  return entry.again({ errors, refusal: result });
}

/** A rejected form keeps the revision it was opened with, so that sending it again overwrites no other change. */
export function formRevision({ form }: ParsedRequest, { snapshot }: ProtocolContext, file: FormFile): string {
  return form.value('expected_revision') ?? snapshot.revisions[file];
}

/** A form as it is shown: for the first time, or again with the input and the reason of the rejection. */
export interface FormState<Values> {
  readonly values: Values;
  readonly errors?: FieldErrors | undefined;
  readonly refusal?: Refusal | undefined;
}

/**
 * The response of a page with a form: 400 for invalid fields, or the status of the failed write. `form` opens the form
 * again.
 */
export function formAnswer(
  { errors = noErrors, refusal }: Omit<FormState<unknown>, 'values'>,
  form: string,
): Required<Pick<ManagementPage, 'status' | 'headers' | 'notice'>> {
  return {
    status: refusal?.status ?? (errors.size > 0 ? 400 : 200),
    headers: refusal?.headers ?? {},
    notice: refusal === undefined ? <FieldsRefused errors={errors} /> : <RefusalNotice refusal={refusal} form={form} />,
  };
}

function RefusalNotice({ refusal, form }: { readonly refusal: Refusal; readonly form: string }) {
  return (
    <Notice kind="refusal" title={refusal.title}>
      {refusal.message}
      {refusal.stale && (
        <>
          {' '}
          {refusal.stale === 'on_disk' ? (
            'Its current content is not active yet. Reload the files to open this form with the current values.'
          ) : (
            <>
              <OwnLink href={form}>Reopen the form</OwnLink> to see the current values.
            </>
          )}
        </>
      )}
    </Notice>
  );
}
