// The refusal of a rotation, by what was in its way (KEY-21 to KEY-23).
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

/** The refusal that an error on the way stands for, or undefined when it is none of them. */
export function refusalFor(error: unknown): KeyRotationRefusedError | undefined {
  if (error instanceof KeyRotationRefusedError) return error;
  if (error instanceof DirectoryLockError) return lockRefusal(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && notWritableCodes.has(code)
    ? new KeyRotationRefusedError('keys_directory_not_writable', { cause: error })
    : undefined;
}

/** Refused before a new key is drawn for nothing; a directory that is missing is the lock's to judge. */
export async function requireWritable(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new KeyRotationRefusedError('keys_directory_not_writable', { cause });
  }
}
