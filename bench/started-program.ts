// Starts a program that prints one JSON line with its base_url when it is ready, and stops it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const readyModel = z.looseObject({
  base_url: z.string(),
  jwks: z.string().optional(),
  token: z.string().optional(),
  ca_file: z.string().optional(),
});

export interface StartedProgram {
  readonly baseUrl: string;
  readonly jwksUrl: string;
  readonly tokenPath: string;
  /** For a program with TLS: its authority as PEM. */
  readonly ca: Buffer | undefined;
  readonly pid: number;
  readonly millisecondsToReady: number;
  stop(): Promise<void>;
}

export async function startProgram(args: readonly string[], options: { cwd?: string } = {}): Promise<StartedProgram> {
  const started = performance.now();
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'ignore'], cwd: options.cwd });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code} before it was ready`)));
  });
  const millisecondsToReady = performance.now() - started;
  const ready = readyModel.parse(JSON.parse(line));
  return {
    baseUrl: ready.base_url,
    jwksUrl: ready.jwks ?? `${ready.base_url}/.well-known/jwks.json`,
    tokenPath: ready.token ?? '/token',
    ca: ready.ca_file === undefined ? undefined : readFileSync(ready.ca_file),
    pid: child.pid ?? 0,
    millisecondsToReady,
    stop: () => end(child),
  };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill('SIGKILL'), 12_000);
    child.once('exit', () => {
      clearTimeout(force);
      resolve();
    });
    child.kill('SIGTERM');
  });
}

/** Resident memory of a process and its children in MiB, as Linux reports it: [name or script, MiB] each. */
export function memoryOfTree(pid: number): readonly (readonly [string, number])[] {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, 3).join(' ');
  const resident = /VmRSS:\s+([0-9]+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const own = [command.replace(/^.*\/dist\//, ''), Number(resident ?? 0) / 1024] as const;
  return [own, ...(children === '' ? [] : children.split(' ').flatMap((child) => memoryOfTree(Number(child))))];
}

/**
 * Processor time that a process and its children have used so far, in milliseconds. Linux counts it in ticks of 10 ms.
 */
export function cpuOfTree(pid: number): number {
  // After the name, which may contain anything: the state first, then numbers. User and system time are the 12th and
  // 13th.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const own = (Number(fields[11]) + Number(fields[12])) * 10;
  return children === '' ? own : children.split(' ').reduce((sum, child) => sum + cpuOfTree(Number(child)), own);
}
