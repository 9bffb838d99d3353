// A started stack for tests of runtime identities, with what those tests ask of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { basic, postForm } from './http.ts';
import { type ApiClient, apiClient } from './management-api.ts';
import { demoSettings, type RunningIdp, startIdp } from './start-idp.ts';

export interface RuntimeIdp extends RunningIdp {
  readonly api: ApiClient;
  writeUsers(users: object): void;
  /** Types of the audit events about the object of that name, in order. */
  eventsOf(name: string): Promise<string[]>;
  passwordGrant(username: string, password: string, client?: readonly [id: string, secret: string]): Promise<Response>;
}

export async function startRuntimeIdp(env: Readonly<Record<string, string>> = {}): Promise<RuntimeIdp> {
  const settings = { ...demoSettings, oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } } };
  const idp = await startIdp({ settings, env });
  const api = apiClient(idp);
  return {
    ...idp,
    api,
    writeUsers: (users) => writeFileSync(join(idp.configDirectory, 'users.yaml'), stringify(users)),
    async eventsOf(name) {
      const { body } = await api('GET', '/api/audit?limit=-1');
      const about = body.entries.filter((entry: { details: { name?: string } }) => entry.details.name === name);
      return about.map((entry: { event_type: string }) => entry.event_type);
    },
    passwordGrant: (username, password, [client, secret] = ['web', 'web-secret']) =>
      postForm(
        `${idp.baseUrl}/token`,
        { grant_type: 'password', username, password, scope: 'openid' },
        { Authorization: basic(client, secret) },
      ),
  };
}
