// A private file that several processes may try to create: the first one creates it, and the others use that file.
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';

/** undefined: the file does not exist. */
export async function textOfFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A hard link appears completely or not at all, and only one process can create it. */
export async function makeOnce(
  path: string,
  content: string,
  { random }: Pick<ProtocolContext, 'random'>,
): Promise<void> {
  const draft = `${path}.${random.token(9)}`;
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
