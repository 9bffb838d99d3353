// What an error of the machine says: in words, and by its code.

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Such as `ENOENT`; undefined: it bears none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
