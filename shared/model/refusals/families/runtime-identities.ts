// Rejections by /api/runtime and of promotions.
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { invalid, lockedByAnotherProcess, nameTaken, notFound } from '../wordings.ts';
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
    answer: ({ kind }: Kind) => notFound(`runtime ${nameOf(kind)}`),
    expected: 'The name of a runtime object. Declared objects are not runtime objects.',
  },
  runtime_identity_invalid: {
    ...inRestApi,
    status: 400,
    kind: 'invalid',
    answer: ({ kind, problem }: Kind & { problem: string }) => invalid(nameOf(kind), problem),
    expected: 'An entry that would be valid in the file.',
  },
  runtime_identity_declared: {
    ...inRestApi,
    status: 409,
    kind: 'declared',
    answer: ({ kind }: Kind) => `The configuration already declares a ${nameOf(kind)} with this name.`,
    expected: 'A name that the configuration files do not declare.',
  },
  runtime_identity_exists: {
    ...inRestApi,
    status: 409,
    kind: 'exists',
    answer: ({ kind }: Kind) => nameTaken(`runtime ${nameOf(kind)}`),
    expected: 'A name that no other runtime object has.',
  },
  runtime_identity_being_promoted: {
    ...inRestApi,
    status: 409,
    kind: 'promotion_in_progress',
    answer: ({ kind }: Kind) =>
      `The runtime ${nameOf(kind)} is being promoted, or the next reload completes its promotion.`,
    expected: 'An object whose promotion is complete.',
  },
  runtime_reset_during_promotion: {
    ...inRestApi,
    status: 409,
    kind: 'promotion_in_progress',
    answer: 'A promotion did not complete in time, so nothing was deleted. Try again.',
    expected: 'No promotion at the same time.',
  },
  promotion_of_declared_name: {
    ...inRestApi,
    status: 409,
    kind: 'declared',
    answer: ({ kind }: Kind) =>
      `The configuration already declares a ${nameOf(kind)} with this name. The runtime object is unchanged.`,
    expected: 'A name that the configuration files do not declare.',
  },
  promotion_conflict: {
    ...inRestApi,
    status: 409,
    kind: 'conflict',
    answer: 'The file changed in the meantime, so nothing was written. Try again.',
    expected: 'A file that does not change at the same time.',
  },
  promotion_unloadable: {
    ...inRestApi,
    status: 422,
    kind: 'unloadable',
    /** `problem` names file and key, and no value (WRT-08). It may be elsewhere than in the entry. */
    answer: ({ kind, problem }: Kind & { problem: string }) =>
      `The files would not load with this ${nameOf(kind)}, so nothing was written: ${problem}`,
    expected: 'A file that loads with the entry.',
  },
  promotion_lock_unavailable: {
    ...inRestApi,
    status: 503,
    kind: 'lock_unavailable',
    headers: { 'Retry-After': '1' },
    answer: `${lockedByAnotherProcess('configuration')} Nothing was written.`,
    expected: 'A configuration directory that no other process has locked.',
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
    expected: 'Writable configuration files on this machine, or a request to a machine that has them.',
  },
  promotion_write_failed: {
    ...inRestApi,
    status: 500,
    kind: 'write_failed',
    answer: 'The file could not be written. The server log has the cause.',
    expected: 'A file that can be written.',
  },
  promotion_reload_failed: {
    ...inRestApi,
    status: 500,
    kind: 'reload_failed',
    answer:
      'The entry is in the file, but the configuration did not load. The next successful reload completes the promotion.',
    expected: 'A configuration that can be activated.',
  },
  promotion_in_sandbox: {
    ...inRestApi,
    status: 409,
    kind: 'not_in_a_sandbox',
    answer: 'Sandboxes have no configuration files, so their objects cannot be promoted.',
    expected: 'An object of the default identity provider.',
  },
});
