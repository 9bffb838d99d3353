// The message and the code of a system error.

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Such as `ENOENT`. undefined: the error has no code. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
