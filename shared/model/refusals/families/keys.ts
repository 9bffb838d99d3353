// Why a signing key is not rotated, identical for REST, MCP and the web UI (KEY-21 to KEY-23). No message names a
// directory. The log has it with the cause.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';
import { lockedByAnotherProcess, lockUnsupported } from '../wordings.ts';

export const rotationRefusals = declareApiRefusals({
  external_keys_not_rotatable: {
    ...inRestApi,
    status: 409,
    kind: 'external_keys_not_rotatable',
    answer:
      'The signing key comes from jwt.external_keys, so the server cannot rotate it. Replace its files and restart.',
    expected: 'Keys that the server generated, without jwt.external_keys.',
  },
  keys_directory_not_writable: {
    ...inRestApi,
    status: 409,
    kind: 'keys_directory_not_writable',
    answer: 'The keys directory is not writable, so the keys cannot be rotated. Make it writable.',
    expected: 'A keys directory that the server can write to.',
  },
  keys_lock_namespace_unavailable: {
    ...inRestApi,
    status: 409,
    kind: 'lock_namespace_unavailable',
    answer: 'The server cannot create the lock file of the keys directory, so the keys cannot be rotated.',
    expected: 'A keys directory where a lock file can be created.',
  },
  keys_lock_timeout: {
    ...inRestApi,
    status: 503,
    kind: 'lock_timeout',
    headers: { 'Retry-After': '5' },
    answer: `${lockedByAnotherProcess('keys')} Try again in a few seconds.`,
    expected: 'A keys directory that no other process has locked.',
  },
  keys_lock_unsupported: {
    ...inRestApi,
    status: 503,
    kind: 'lock_unsupported',
    answer: `${lockUnsupported('keys')} The keys cannot be rotated.`,
    expected: 'A filesystem that supports locks.',
  },
});

/** By the kind that programs receive. */
export const rotationRefusalOf = {
  external_keys_not_rotatable: rotationRefusals.external_keys_not_rotatable,
  keys_directory_not_writable: rotationRefusals.keys_directory_not_writable,
  lock_namespace_unavailable: rotationRefusals.keys_lock_namespace_unavailable,
  lock_timeout: rotationRefusals.keys_lock_timeout,
  lock_unsupported: rotationRefusals.keys_lock_unsupported,
} as const;
