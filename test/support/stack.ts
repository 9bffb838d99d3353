// Observes the processes of a started stack from outside, like an operator: it lists workers, stops and kills one by its
// pid, and waits for a condition instead of a time. Linux only (/proc), like the tests that use it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningIdp } from './start-idp.ts';

export interface WorkerView {
  readonly pid: number;
  readonly name: 'oidc' | 'saml' | 'mcp' | 'demo';
}

/** The live workers of a supervisor, in start order. */
export function workersOf(supervisorPid: number): WorkerView[] {
  return readText(`/proc/${supervisorPid}/task/${supervisorPid}/children`)
    .split(' ')
    .filter((pid) => pid.trim() !== '')
    .map(Number)
    .flatMap((pid) => {
      const name = /worker-(oidc|saml|mcp|demo)\.js/.exec(readText(`/proc/${pid}/cmdline`))?.[1];
      return name === 'oidc' || name === 'saml' || name === 'mcp' || name === 'demo' ? [{ pid, name }] : [];
    });
}

export function workerPid(idp: RunningIdp, name: WorkerView['name']): number {
  const found = workersOf(idp.pid).find((worker) => worker.name === name);
  if (found === undefined) throw new Error(`the stack has no ${name} worker`);
  return found.pid;
}

/** Also false for a zombie process. */
export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Whether a signal stopped the process. */
export function isStopped(pid: number): boolean {
  return stateOf(pid) === 'T';
}

function stateOf(pid: number): string | undefined {
  return /^State:\s*(\S)/m.exec(readText(`/proc/${pid}/status`))?.[1];
}

/** CPU milliseconds of the process, user and system. */
export function processorMilliseconds(pid: number): number {
  const fields = readText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Retries every few milliseconds, and resolves with the first result that is neither undefined nor false. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  deadlineMilliseconds = 45_000,
): Promise<Answer> {
  const deadline = performance.now() + deadlineMilliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline)
      throw new Error(`waited ${deadlineMilliseconds} ms without success until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Kills one worker outright and resolves with the pid of its replacement, which may still be starting. Afterwards no
 * request uses a connection that ended with the old worker.
 */
export async function killWorker(idp: RunningIdp, name: WorkerView['name']): Promise<number> {
  const before = new Set(workersOf(idp.pid).map(({ pid }) => pid));
  process.kill(workerPid(idp, name), 'SIGKILL');
  const replacement = await until(`${name} was replaced`, () => {
    return workersOf(idp.pid).find((worker) => worker.name === name && !before.has(worker.pid))?.pid;
  });
  await until('this process has noticed which connections have ended', () => !hasUnnoticedEnds());
  return replacement;
}

/** Whether the other side has closed a connection of this process that this process has not read to its end. */
function hasUnnoticedEnds(): boolean {
  const own = new Set(
    readdirSync('/proc/self/fd').map((descriptor) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`))?.[1];
      } catch {
        return undefined;
      }
    }),
  );
  // Format of proc_pid_net(5): state 08 is CLOSE_WAIT, the tenth column is the inode.
  return ['tcp', 'tcp6'].some((protocol) =>
    readText(`/proc/self/net/${protocol}`)
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      .some(([, , , state, , , , , , inode]) => state === '08' && inode !== undefined && own.has(inode)),
  );
}

/**
 * Makes one OIDC front end the only one that responds while `body` runs: a signal stops its siblings. Only for a few
 * requests, because the supervisor replaces a worker that is stopped for 10 s (SUP-08).
 */
export async function withOnly<Result>(idp: RunningIdp, index: number, body: () => Promise<Result>): Promise<Result> {
  const frontends = workersOf(idp.pid).filter(({ name }) => name === 'oidc');
  const others = frontends.filter((_, position) => position !== index % frontends.length);
  try {
    for (const { pid } of others) await stopOutsideOfWrites(pid);
    return await body();
  } finally {
    for (const { pid } of others) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  }
}

/** A process that is stopped during a write to SQLite would block all other writers, which would correctly return 503. */
async function stopOutsideOfWrites(pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    await until(`process ${pid} is stopped`, () => isStopped(pid) || !isAlive(pid));
    if (!holdsWriteLock(pid)) return;
    process.kill(pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * SQLite's lock of the process that writes to a WAL database: byte 120 of its shared memory file, alone or with the
 * following bytes.
 */
function holdsWriteLock(pid: number): boolean {
  return new RegExp(`^\\d+: POSIX +ADVISORY +WRITE ${pid} \\S+ 120 \\d+$`, 'm').test(readText('/proc/locks'));
}

/** The private directory of a running stack: the one that its supervisor has marked as used. */
export function stackDirectoryOf(supervisorPid: number): string | undefined {
  for (const base of ['/dev/shm', tmpdir()]) {
    for (const name of names(base)) {
      const directory = join(base, name);
      if (name.startsWith('test-idp-stack-') && names(directory).includes(`${supervisorPid}.alive`)) return directory;
    }
  }
  return undefined;
}

/** The local TCP ports on which a process listens. */
export function listeningPorts(pid: number): number[] {
  const sockets = new Set(names(`/proc/${pid}/fd`).map((fd) => linkTarget(`/proc/${pid}/fd/${fd}`)));
  const rows = ['tcp', 'tcp6'].flatMap((table) => readText(`/proc/${pid}/net/${table}`).split('\n').slice(1));
  return rows.flatMap((row) => {
    const columns = row.trim().split(/\s+/);
    const [, local = '', , state] = columns;
    const listens = state === '0A' && sockets.has(`socket:[${columns[9]}]`);
    return listens ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
