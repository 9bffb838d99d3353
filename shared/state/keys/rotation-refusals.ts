// The rejection of a rotation, by its cause (KEY-21 to KEY-23).
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { DirectoryLockError } from '#shared/base/locking/directory-lock.ts';
import { KeyRotationRefusedError } from './key-ring.ts';

function lockRefusal(error: DirectoryLockError): KeyRotationRefusedError {
  return new KeyRotationRefusedError(error.kind === 'not_writable' ? 'keys_directory_not_writable' : error.kind, {
    cause: error,
  });
}

const notWritableCodes = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The rejection for an error, or undefined for any other error. */
export function refusalFor(error: unknown): KeyRotationRefusedError | undefined {
  if (error instanceof KeyRotationRefusedError) return error;
  if (error instanceof DirectoryLockError) return lockRefusal(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && notWritableCodes.has(code)
    ? new KeyRotationRefusedError('keys_directory_not_writable', { cause: error })
    : undefined;
}

/** Rejects before a new key is generated in vain. A missing directory is left to the lock. */
export async function requireWritable(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new KeyRotationRefusedError('keys_directory_not_writable', { cause });
  }
}
