// Rejections by /api/runtime and of promotions.
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { configurationNotWritable, noConfigurationDirectory } from './configuration.ts';

const nameOf = (kind: RuntimeKind): string => kind.replace('_', ' ');

interface Kind {
  readonly kind: RuntimeKind;
}

export const runtimeIdentityRefusals = declareApiRefusals({
  runtime_identity_not_found: {
    ...inRestApi,
    status: 404,
    kind: 'not_found',
    answer: ({ kind }: Kind) => `There is no runtime ${nameOf(kind)} of that name.`,
    expected: 'The name of a runtime object; a declared one is none.',
  },
  runtime_identity_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ kind, problem }: Kind & { problem: string }) => `The ${nameOf(kind)} is not acceptable: ${problem}.`,
    expected: 'An entry that the file could hold as well.',
  },
  runtime_identity_declared: {
    ...inRestApi,
    status: 409,
    kind: 'declared',
    answer: ({ kind }: Kind) => `The configuration declares a ${nameOf(kind)} of that name.`,
    expected: 'A name that the files do not declare.',
  },
  runtime_identity_exists: {
    ...inRestApi,
    status: 409,
    kind: 'exists',
    answer: ({ kind }: Kind) => `There is a runtime ${nameOf(kind)} of that name already.`,
    expected: 'A name that no other runtime object has.',
  },
  runtime_identity_being_promoted: {
    ...inRestApi,
    status: 409,
    kind: 'promotion_in_progress',
    answer: ({ kind }: Kind) =>
      `The runtime ${nameOf(kind)} is being promoted, or waits for a reload to finish its promotion.`,
    expected: 'An object whose promotion has ended.',
  },
  runtime_reset_during_promotion: {
    ...inRestApi,
    status: 409,
    kind: 'promotion_in_progress',
    answer: 'A promotion did not end in time; nothing was removed. Try again.',
    expected: 'No promotion at the same moment.',
  },
  promotion_of_declared_name: {
    ...inRestApi,
    status: 409,
    kind: 'declared',
    answer: ({ kind }: Kind) =>
      `The configuration declares a ${nameOf(kind)} of that name; the runtime object is as it was.`,
    expected: 'A name that the files do not declare.',
  },
  promotion_conflict: {
    ...inRestApi,
    status: 409,
    kind: 'conflict',
    answer: 'The file was changed by somebody else meanwhile; nothing was written. Try again.',
    expected: 'A file that nobody else changes at the same moment.',
  },
  promotion_unloadable: {
    ...inRestApi,
    status: 422,
    kind: 'unloadable',
    /** `problem` names file and key, and no value (WRT-08). It may be elsewhere than in the entry. */
    answer: ({ kind, problem }: Kind & { problem: string }) =>
      `With this ${nameOf(kind)} the files would not load, so nothing was written: ${problem}`,
    expected: 'A file that loads with the entry in it.',
  },
  promotion_lock_unavailable: {
    ...inRestApi,
    status: 503,
    kind: 'lock_unavailable',
    headers: { 'Retry-After': '1' },
    answer: 'The configuration directory is locked by another process; nothing was written.',
    expected: 'A configuration directory that no other process holds.',
  },
  promotion_without_directory: {
    ...inRestApi,
    status: 409,
    kind: 'no_configuration_directory',
    answer: noConfigurationDirectory,
    expected: 'A server with a configuration directory.',
  },
  promotion_not_writable: {
    ...inRestApi,
    status: 409,
    kind: 'configuration_not_writable',
    answer: configurationNotWritable,
    expected: 'A machine that can write its configuration files, where several share the store.',
  },
  promotion_write_failed: {
    ...inRestApi,
    status: 500,
    kind: 'write_failed',
    answer: 'The file could not be written; the log of the server says why.',
    expected: 'A file that can be written.',
  },
  promotion_reload_failed: {
    ...inRestApi,
    status: 500,
    kind: 'reload_failed',
    answer:
      'The entry is in the file, but the configuration could not be loaded; the next successful reload finishes the promotion.',
    expected: 'A configuration that can be activated.',
  },
  promotion_in_sandbox: {
    ...inRestApi,
    status: 409,
    kind: 'not_in_a_sandbox',
    answer: 'A sandbox has no files of its own, so nothing in it can be promoted.',
    expected: 'An object of the default identity provider.',
  },
});
