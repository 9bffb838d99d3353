// Looking at the processes of a started stack from outside, as an operator would: which workers it has, stopping and
// killing one by its pid, waiting for a condition instead of for time. Linux only (/proc), like the tests that use it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningIdp } from './start-idp.ts';

export interface WorkerView {
  readonly pid: number;
  readonly name: 'oidc' | 'saml' | 'mcp' | 'demo';
}

/** The living workers of a supervisor, in the order they were started. */
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

/** False also for a process that is dead and not yet collected by its parent. */
export function isAlive(pid: number): boolean {
  const state = stateOf(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** By a signal, until another one lets it go on. */
export function isStopped(pid: number): boolean {
  return stateOf(pid) === 'T';
}

function stateOf(pid: number): string | undefined {
  return /^State:\s*(\S)/m.exec(readText(`/proc/${pid}/status`))?.[1];
}

/** Milliseconds of processor time that the process has taken, in user mode and for the system. */
export function processorMilliseconds(pid: number): number {
  const fields = readText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resolves with the first answer that is not undefined or false; asks again every few milliseconds. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
  deadlineMilliseconds = 45_000,
): Promise<Answer> {
  const deadline = performance.now() + deadlineMilliseconds;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMilliseconds} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Kills one worker outright and resolves with the pid of its replacement, which may still be booting. No request is sent
 * on a connection that died with it after that.
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

/** Whether the other side of a connection of this process has closed it, and nobody here has read so far. */
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
  // As proc_pid_net(5) shows them: state 08 is CLOSE_WAIT, the tenth column the inode.
  return ['tcp', 'tcp6'].some((protocol) =>
    readText(`/proc/self/net/${protocol}`)
      .split('\n')
      .map((line) => line.trim().split(/ +/))
      .some(([, , , state, , , , , , inode]) => state === '08' && inode !== undefined && own.has(inode)),
  );
}

/**
 * Lets one OIDC frontend alone answer while `body` runs: its siblings are stopped by a signal. For a few requests: one that
 * is stopped for 10 s is stuck to its supervisor, who replaces it (SUP-08).
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

/** Stopped in the middle of a write to SQLite it would keep everybody else from writing, who answer 503 then, and rightly. */
async function stopOutsideOfWrites(pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    await until(`process ${pid} is stopped`, () => isStopped(pid) || !isAlive(pid));
    if (!holdsWriteLock(pid)) return;
    process.kill(pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** SQLite's lock of whoever writes to a database with a WAL: byte 120 of its shared memory file, alone or with those after it. */
function holdsWriteLock(pid: number): boolean {
  return new RegExp(`^\\d+: POSIX +ADVISORY +WRITE ${pid} \\S+ 120 \\d+$`, 'm').test(readText('/proc/locks'));
}

/** The private directory of a running stack: the one its supervisor has marked as used. */
export function stackDirectoryOf(supervisorPid: number): string | undefined {
  for (const base of ['/dev/shm', tmpdir()]) {
    for (const name of names(base)) {
      const directory = join(base, name);
      if (name.startsWith('test-idp-stack-') && names(directory).includes(`${supervisorPid}.alive`)) return directory;
    }
  }
  return undefined;
}

/** The local TCP ports a process listens on. */
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
