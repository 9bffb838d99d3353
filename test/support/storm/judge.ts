// The check after a storm, when everything is quiet: audit, files and store against the ledger of responses. The audit is
// also replayed: from its beginning it must be a possible history, and end in the state of the store.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { auditEntriesMax } from '#shared/model/audit/audit-bounds.ts';
import type { AuditEntry, AuditEventType } from '#shared/model/audit/audit-event.ts';
import type { OpenedStore } from '#shared/state/store/opened-store.ts';
import type { RunningIdp } from '#test/support/start-idp.ts';
import type { Ledger } from './ledger.ts';

/** The runtime objects, `user zoe` or `client app`, and whether each is a live registration. */
type Objects = ReadonlyMap<string, boolean>;

export async function objectsAt({ baseUrl }: RunningIdp): Promise<Objects> {
  const list = async (path: string) => (await fetch(baseUrl + path)).json();
  const { users } = await list('/api/runtime/users');
  const { clients } = await list('/api/runtime/clients');
  return new Map<string, boolean>([
    ...users.map(({ username }: { username: string }) => [`user ${username}`, false] as const),
    ...clients.map((client: { client_id: string; source?: string }) => {
      return [`client ${client.client_id}`, client.source === 'dcr'] as const;
    }),
  ]);
}

/** Applies the events to the objects one by one. @throws at the first that cannot follow from the previous ones */
export function replayed(before: Objects, entries: readonly AuditEntry[], maxClients: number): Objects {
  const objects = new Map(before);
  const about = ({ details }: AuditEntry) => `${details.kind} ${details.name}`;
  const add = (name: string, isRegistration: boolean) => {
    expect(objects.has(name), `${name} was created while it existed`).to.equal(false);
    objects.set(name, isRegistration);
    const registrations = [...objects.values()].filter(Boolean).length;
    expect(registrations, `registrations once ${name} was created`).to.be.at.most(maxClients);
  };
  const remove = (name: string, how: string) => {
    expect(objects.delete(name), `${name} was ${how} while it did not exist`).to.equal(true);
  };
  for (const entry of entries) {
    switch (entry.event_type) {
      case 'runtime_identity_created':
        add(about(entry), false);
        break;
      case 'client_registered':
        add(`client ${entry.client_id}`, true);
        break;
      case 'client_registration_deleted':
        remove(`client ${entry.client_id}`, 'unregistered');
        break;
      case 'runtime_identity_deleted':
      case 'runtime_identity_promoted':
      case 'runtime_identity_removed_on_reload':
        remove(about(entry), entry.event_type);
        break;
      case 'runtime_identities_reset': {
        const names = [...objects.keys()];
        const counts = {
          users_deleted: names.filter((name) => name.startsWith('user ')).length,
          clients_deleted: names.filter((name) => name.startsWith('client ')).length,
        };
        expect(entry.details, 'what a reset counted').to.deep.equal(counts);
        objects.clear();
        break;
      }
      default:
    }
  }
  return objects;
}

/** Every acknowledged response has its event, and every event its response. */
export function compareWithAnswers(entries: readonly AuditEntry[], ledger: Ledger): void {
  const ofType = (type: AuditEventType) => entries.filter(({ event_type }) => event_type === type);
  const names = (type: AuditEventType) => ofType(type).map(({ details }) => `${details.kind} ${details.name}`);
  const same = (found: readonly unknown[], answered: readonly unknown[], what: string) =>
    expect([...found].map(String).sort(), what).to.deep.equal([...answered].map(String).sort());
  const outcomes = (type: AuditEventType, status: string) =>
    ofType(type).filter((entry) => entry.status === status).length;

  same(names('runtime_identity_created'), ledger.created, 'created');
  same(names('runtime_identity_deleted'), ledger.deleted, 'deleted');
  same(names('runtime_identity_promoted'), ledger.promoted, 'promoted');
  const counts = ({ users_deleted, clients_deleted }: { users_deleted?: unknown; clients_deleted?: unknown }) =>
    `${users_deleted} users, ${clients_deleted} clients`;
  same(
    ofType('runtime_identities_reset').map(({ details }) => counts(details)),
    ledger.resets.map(counts),
    'reset',
  );
  const registered = ofType('client_registered').map(({ client_id }) => client_id);
  // Removed before its response: the client received the interruption and never learnt the name.
  const removedBefore = registered.filter((id) => id !== null && !ledger.registered.includes(id)).length;
  expect(registered.length - removedBefore, 'registered').to.equal(ledger.registered.length);
  expect(removedBefore, 'registered and not answered').to.be.at.most(ledger.interrupted);
  expect(new Set(registered).size, 'registered twice').to.equal(registered.length);
  const refused = ledger.limited + ledger.interrupted;
  expect(outcomes('client_registration_refused', 'failed'), 'rejected registrations').to.equal(refused);
  same(
    ofType('client_registration_deleted').map(({ client_id }) => client_id),
    ledger.unregistered,
    'unregistered',
  );
  same(
    ofType('key_rotation').map(({ details }) => details.new_kid),
    ledger.rotated,
    'rotated',
  );
  expect(outcomes('token_request', 'success'), 'tokens').to.equal(ledger.tokens);
  expect(outcomes('token_request', 'failed'), 'rejected token requests').to.equal(ledger.tokenRefusals);
  expect(outcomes('introspection_request', 'success'), 'introspections').to.equal(ledger.introspections);
  expect(ofType('mcp_tool'), 'tool calls').to.have.length(ledger.toolCalls);
  const givenWay = ofType('runtime_identity_removed_on_reload').map(({ details }) => details.name);
  expect(ledger.saved, 'names that were removed').to.include.members(givenWay);
  // No process died, and every promotion completed.
  for (const type of ['runtime_identity_promotion_recovered', 'runtime_identity_promotion_abandoned'] as const) {
    expect(ofType(type), type).to.deep.equal([]);
  }
}

/** The whole audit of a round, whose counters must agree. */
export async function auditOf({ baseUrl }: RunningIdp): Promise<readonly AuditEntry[]> {
  const { entries } = await (await fetch(`${baseUrl}/api/audit?limit=-1`)).json();
  const statistics = await (await fetch(`${baseUrl}/api/audit/stats`)).json();
  expect(entries.length, 'the round was too long for the bound of the audit').to.be.below(auditEntriesMax);
  expect(statistics.total_requests).to.equal(entries.length);
  return entries;
}

/** Names of `users` and `oauth.clients[]` in the files, in the order written. */
export function declaredIn(root: string): { readonly users: readonly string[]; readonly clients: readonly string[] } {
  const read = (name: string) => parse(readFileSync(join(root, 'config', name), 'utf8'));
  const clients: { client_id: string }[] = read('settings.yaml').oauth.clients;
  return { users: Object.keys(read('users.yaml').users), clients: clients.map(({ client_id }) => client_id) };
}

/** Nothing is pending: no promotion is running, and no event waits for the next reader of the audit. */
export async function expectNothingPending(
  { store, audit, close }: OpenedStore,
  recorded: readonly AuditEntry[],
): Promise<void> {
  try {
    const objects = [...(await store.identities.listUsers()), ...(await store.identities.listClients())];
    expect(objects.filter(({ promotion }) => promotion.state !== 'free')).to.deep.equal([]);
    expect(await audit.read({ limit: -1 })).to.have.length(recorded.length);
  } finally {
    await close();
  }
}
