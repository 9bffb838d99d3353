// Why a form's write failed: the title above the form, and the message below the title (WEB-12 to WEB-14).
import { docs } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
import { lockedByAnotherProcess, lockUnsupported } from '../wordings.ts';
import { configurationNotWritable, noConfigurationDirectory } from './configuration.ts';

export interface FormRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly title: string | ((file: string) => string);
  /** The file already has this name, or no longer has it. The form shows the message at its name field. */
  readonly field?: 'name';
  readonly headers?: Readonly<Record<string, string>>;
}

interface File {
  readonly file: string;
}

interface Problem {
  readonly problem: string;
}

const nothing = { standard: docs('errors.md#pages'), title: 'Nothing was written.' } as const;

function declareFormRefusals<const Table extends Readonly<Record<string, FormRefusalRow>>>(table: Table) {
  return declareRefusals<FormRefusalRow, Table>(table);
}

export const formRefusals = declareFormRefusals({
  form_name_exists: {
    ...nothing,
    status: 409,
    answer: ({ file }: File) => `${file} already contains this name.`,
    expected: 'A name that does not exist yet.',
    field: 'name',
  },
  form_name_unknown: {
    ...nothing,
    status: 409,
    answer: ({ file }: File) => `${file} no longer contains this name.`,
    expected: 'A name that exists in the file.',
    field: 'name',
  },
  form_conflict: {
    ...nothing,
    status: 409,
    title: (file) => `Nothing was written. ${file} changed in the meantime.`,
    answer: 'Another process or user changed the file after you opened this form. Open the form again.',
    expected: 'A form that was opened after the last change of the file.',
  },
  form_unloadable: {
    ...nothing,
    status: 422,
    title: 'Nothing was written. The changed files would not load.',
    answer: ({ problem }: Problem) => problem,
    expected: 'Values that load.',
  },
  form_lock_timeout: {
    ...nothing,
    status: 503,
    answer: `${lockedByAnotherProcess('configuration')} Try again in a few seconds.`,
    expected: 'A configuration directory that no other process has locked.',
    headers: { 'Retry-After': '5' },
  },
  form_lock_unsupported: {
    ...nothing,
    status: 503,
    answer: `${lockUnsupported('configuration')} Move the directory to one that does.`,
    expected: 'A filesystem that supports locks.',
  },
  form_withdrawn: {
    ...nothing,
    status: 409,
    answer: 'The change was cancelled before it was written.',
    expected: 'A change that is still valid when it is written.',
  },
  form_no_configuration_directory: {
    ...nothing,
    status: 409,
    answer: noConfigurationDirectory,
    expected: 'A configuration directory.',
  },
  form_not_writable: {
    ...nothing,
    status: 409,
    kind: 'configuration_not_writable',
    answer: configurationNotWritable,
    expected: 'Writable configuration files on this machine, or a request to a machine that has them.',
  },
  form_write_failed: {
    ...nothing,
    status: 500,
    answer: ({ problem }: Problem) => problem,
    expected: 'Files that can be written.',
  },
  form_not_activated: {
    ...nothing,
    status: 500,
    title: (file) => `${file} was written, but is not active`,
    answer: ({ problem }: Problem) =>
      `The server continues with the previous configuration, because it could not activate the new one: ${problem}`,
    expected: 'Keys, certificates and a store that the server can use.',
  },
});
