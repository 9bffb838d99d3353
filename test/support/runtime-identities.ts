// Requests of tests about runtime identities to a started program.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { basic, postForm } from './http.ts';
import type { RunningIdp } from './start-idp.ts';

/** Writes the file without a reload or notification. */
export function writeUsers(idp: RunningIdp, users: object): void {
  writeFileSync(join(idp.configDirectory, 'users.yaml'), stringify(users));
}

/** Types of the audit events about the object of that name, in order. */
export async function eventsOf(idp: RunningIdp, name: string): Promise<string[]> {
  return (await idp.audit()).filter(({ details }) => details.name === name).map(({ event_type }) => event_type);
}

export function passwordGrant(
  idp: RunningIdp,
  username: string,
  password: string,
  [client, secret]: readonly [id: string, secret: string] = ['web', 'web-secret'],
): Promise<Response> {
  const form = { grant_type: 'password', username, password, scope: 'openid' };
  return postForm(`${idp.baseUrl}/token`, form, { Authorization: basic(client, secret) });
}
