// Finds the installed Chromium for the exam's logins, starts its process and ends it.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Devtools, devtoolsOver } from './devtools-pipe.ts';
import { ExamError } from './exam-error.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];

/** @throws ExamError naming what is missing */
export function findChromium(): string {
  const { env: environment } = process;
  const named = environment.CHROME_PATH;
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  const places =
    named === undefined || named === '' ? directories.flatMap((one) => names.map((name) => join(one, name))) : [named];
  const found = places.find(isExecutable);
  if (found !== undefined) return found;
  throw new ExamError(
    `--browser requires Chromium, but none of ${names.join(', ')} is on the PATH. Install one, or name it with CHROME_PATH.`,
  );
}

interface Chromium {
  readonly devtools: Devtools;
  end(): Promise<void>;
}

/** Uses a new profile that is deleted at the end. @throws ExamError when it does not start */
export async function startChromium({ insecure }: { readonly insecure: boolean }): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'test-idp-exam-'));
  const child = spawn(
    findChromium(),
    [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-sync',
      // Chromium's sandbox does not work for root, the usual user in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(insecure ? ['--ignore-certificate-errors'] : []),
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const end = async () => {
    await ended(child);
    // Its other processes end a moment after the first and write into the profile until then. `rmSync` would only retry
    // the directory itself, not files that were added to it.
    await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
  };
  try {
    const devtools = devtoolsOver(child);
    await Promise.race([
      devtools.send('Browser.getVersion'),
      new Promise<never>((_resolve, reject) => child.once('error', reject)),
    ]);
    return { devtools, end };
  } catch (error) {
    await end();
    throw new ExamError(`Chromium does not start: ${error instanceof Error ? error.message : error}`);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const endMilliseconds = 5000;

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), endMilliseconds);
  await closed;
  clearTimeout(impatience);
}
