import { statSync } from 'node:fs';
import { web } from './credentials.ts';
import { postForm, rawRequest } from './http.ts';
import { isAlive, workersOf } from './stack.ts';
import { type RunningIdp, startIdp } from './start-idp.ts';

/** The body may stop, kill or end the stack. Nothing of it remains afterwards. */
export async function withStack(args: readonly string[], body: (idp: RunningIdp) => Promise<void>): Promise<void> {
  const idp = await startIdp({ args });
  const workers = workersOf(idp.pid);
  try {
    await body(idp);
  } finally {
    for (const { pid } of workers) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    await idp.stop();
  }
}

export const health = async (url: string) => (await rawRequest(`${url}/api/health`)).status;

export function createUser(baseUrl: string, username: string) {
  return rawRequest(`${baseUrl}/api/runtime/users`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password: 'secret-of-it' }),
  });
}

export function passwordGrant(baseUrl: string, username: string) {
  const form = { grant_type: 'password', username, password: 'secret-of-it' };
  return postForm(`${baseUrl}/token`, form, { ...web, Connection: 'close' });
}

export function isGone(directory: string): boolean {
  try {
    statSync(directory);
    return false;
  } catch {
    return true;
  }
}
