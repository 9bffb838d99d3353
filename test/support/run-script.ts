// Runs a script of the tests as a process of its own.
import { spawn } from 'node:child_process';
import { z } from 'zod';
import { bundleScript } from './bundled-script.ts';

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  /** The lines of standard output, each a JSON object. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly log: string;
}

const line = z.record(z.string(), z.unknown());

/** `script` is a path below test/fixtures. `uid` runs it as another user. */
export async function runScript(
  script: string,
  args: readonly string[],
  options: { uid?: number } = {},
): Promise<Ended> {
  const path = await bundleScript(script);
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  let out = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const texts = out.split('\n').filter((text) => text !== '');
      resolve({ code, signal, lines: texts.map((text) => line.parse(JSON.parse(text))), log });
    });
  });
}
