// Why a signing key is not rotated, identical for REST, MCP and the web UI (KEY-21 to KEY-23). No message names a
// directory. The log has it with the cause.
import { declareApiRefusals, inRestApi } from '../api-refusal.ts';

export const rotationRefusals = declareApiRefusals({
  external_keys_not_rotatable: {
    ...inRestApi,
    status: 409,
    kind: 'external_keys_not_rotatable',
    answer:
      'The signing key is provided by jwt.external_keys and cannot be rotated here; replace its files and restart.',
    expected: 'Keys that the server made itself, without jwt.external_keys.',
  },
  keys_directory_not_writable: {
    ...inRestApi,
    status: 409,
    kind: 'keys_directory_not_writable',
    answer: 'The keys directory is not writable, so the keys cannot be rotated.',
    expected: 'A keys directory that the server may write to.',
  },
  keys_lock_namespace_unavailable: {
    ...inRestApi,
    status: 409,
    kind: 'lock_namespace_unavailable',
    answer: 'The lock file of the keys directory cannot exist there, so the keys cannot be rotated.',
    expected: 'A keys directory beside which a lock file can lie.',
  },
  keys_lock_timeout: {
    ...inRestApi,
    status: 503,
    kind: 'lock_timeout',
    headers: { 'Retry-After': '5' },
    answer: 'Another process holds the lock of the keys directory; try again in a few seconds.',
    expected: 'A keys directory that no other process holds.',
  },
  keys_lock_unsupported: {
    ...inRestApi,
    status: 503,
    kind: 'lock_unsupported',
    answer: 'The filesystem of the keys directory does not support locks, so the keys cannot be rotated.',
    expected: 'A filesystem with locks.',
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
