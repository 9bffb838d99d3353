// Why a form's write failed: the title above the form, and the message below the title (WEB-12 to WEB-14).
import { docs } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
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
    expected: 'A name that is free.',
    field: 'name',
  },
  form_name_unknown: {
    ...nothing,
    status: 409,
    answer: ({ file }: File) => `${file} no longer contains this name.`,
    expected: 'A name that the file has.',
    field: 'name',
  },
  form_conflict: {
    ...nothing,
    status: 409,
    title: (file) => `Nothing was written. ${file} has changed in the meantime.`,
    answer: 'Somebody else changed the file after this form was opened.',
    expected: 'A form opened since the file was last changed.',
  },
  form_unloadable: {
    ...nothing,
    status: 422,
    title: 'Nothing was written. The result would not load.',
    answer: ({ problem }: Problem) => problem,
    expected: 'Values with which the files load.',
  },
  form_lock_timeout: {
    ...nothing,
    status: 503,
    answer: 'Another process holds the configuration directory. Try again in a few seconds.',
    expected: 'A configuration directory that no other process holds.',
    headers: { 'Retry-After': '5' },
  },
  form_lock_unsupported: {
    ...nothing,
    status: 503,
    answer: 'The configuration directory lies on a filesystem without usable locks, so it cannot be changed here.',
    expected: 'A filesystem with locks.',
  },
  form_withdrawn: {
    ...nothing,
    status: 409,
    answer: 'The change was withdrawn before it was written.',
    expected: 'A change that still holds when it is written.',
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
    expected: 'A machine that can write its configuration files, where several share the store.',
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
    title: (file) => `${file} was written, but is not in force`,
    answer: ({ problem }: Problem) =>
      `The running configuration stays as it was, because the new one could not be activated: ${problem}`,
    expected: 'Keys, certificates and a store that can be taken.',
  },
});
