// Third-party software for drills that is not a dependency of the product, installed into .cache/.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from './source-text.ts';

/**
 * The directory of that name in .cache/, which `install` fills once for each state of the file `list`.
 * @throws Error when `install` throws. The next call then installs it again.
 */
export async function installedOnce(
  name: string,
  list: string,
  install: (directory: string) => Promise<void>,
): Promise<string> {
  const directory = join(repositoryRoot, '.cache', name);
  const done = join(directory, `${basename(list)}.installed`);
  const wanted = readFileSync(list, 'utf8');
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return directory;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  await install(directory);
  writeFileSync(done, wanted);
  return directory;
}
