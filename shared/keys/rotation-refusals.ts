// The fixed public sentences of a refused rotation, the same at REST, MCP and the web UI (KEY-21 to KEY-23). They name
// no directory: that goes to the log with the cause.
import { DirectoryLockError } from '#shared/locking/directory-lock.ts';
import { type KeyRotationRefusal, KeyRotationRefusedError } from './key-ring.ts';

const sentences: Readonly<Record<KeyRotationRefusal, string>> = {
  external_keys_not_rotatable:
    'The signing key is provided by jwt.external_keys and cannot be rotated here; replace its files and restart.',
  keys_directory_not_writable: 'The keys directory is not writable, so the keys cannot be rotated.',
  lock_namespace_unavailable: 'The lock file of the keys directory cannot exist there, so the keys cannot be rotated.',
  lock_timeout: 'Another process holds the lock of the keys directory; try again in a few seconds.',
  lock_unsupported: 'The filesystem of the keys directory does not support locks, so the keys cannot be rotated.',
};

export function rotationRefused(kind: KeyRotationRefusal, cause?: unknown): KeyRotationRefusedError {
  return new KeyRotationRefusedError(kind, sentences[kind], { cause });
}

function lockRefusal(error: DirectoryLockError): KeyRotationRefusedError {
  return rotationRefused(error.kind === 'not_writable' ? 'keys_directory_not_writable' : error.kind, error);
}

const notWritableCodes = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The refusal that an error on the way stands for, or undefined when it is none of them. */
export function refusalFor(error: unknown): KeyRotationRefusedError | undefined {
  if (error instanceof KeyRotationRefusedError) return error;
  if (error instanceof DirectoryLockError) return lockRefusal(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && notWritableCodes.has(code)
    ? rotationRefused('keys_directory_not_writable', error)
    : undefined;
}
