// Lives of runtime users and clients during a storm: created by several at once, then kept, deleted or promoted by several
// at once, with resets and registrations in between.
import { anyStack, type Storm, send, sendAtOnce } from './send-to-stacks.ts';

let made = 0;

/** Names are never reused, so that each has one life in the audit. */
export function newName(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}

export async function liveOneUser(storm: Storm): Promise<void> {
  const name = newName('u');
  await liveOne('user', name, { username: name, password: 'p' }, storm);
}

export async function liveOneClient(storm: Storm): Promise<void> {
  const name = newName('c');
  const entry = { client_id: name, client_secret: 's', redirect_uris: ['https://rp.example/cb'] };
  await liveOne('client', name, entry, storm);
}

async function liveOne(kind: 'user' | 'client', name: string, json: object, storm: Storm): Promise<void> {
  const { ledger, random } = storm;
  const list = kind === 'user' ? '/api/runtime/users' : '/api/runtime/clients';
  const creates = await sendAtOnce(3, { method: 'POST', path: list, json, expect: [201, 409] }, storm);
  for (const { status } of creates) if (status === 201) ledger.created.push(`${kind} ${name}`);
  const path = `${list}/${name}`;
  const promote = { method: 'POST', path: `${path}/promote`, expect: [200, 404, 409] };
  const remove = { method: 'DELETE', path, expect: [200, 404, 409] };
  const fates = {
    left: [],
    deleted: [remove, remove],
    promoted: [promote, promote],
    either: [promote, remove, promote],
  };
  const fate = (['left', 'deleted', 'promoted', 'either'] as const)[random.integer(0, 3)] ?? 'left';
  const ends = await Promise.all(fates[fate].map(async (request) => ({ request, answer: await send(request, storm) })));
  for (const { request, answer } of ends) {
    if (answer.status !== 200) continue;
    (request === promote ? ledger.promoted : ledger.deleted).push(`${kind} ${name}`);
  }
}

export async function resetAll(storm: Storm): Promise<void> {
  const answer = await send({ method: 'DELETE', path: '/api/runtime', expect: [200] }, storm);
  if (answer.status === 200) storm.ledger.resets.push(answer.body);
}

/** Sends more registrations than there are slots. Each ends in one of the allowed ways. */
export async function registerSeveral(maxClients: number, storm: Storm): Promise<void> {
  const { ledger, random } = storm;
  const request = {
    method: 'POST',
    path: '/register',
    json: { redirect_uris: ['https://rp.example/cb'] },
    expect: [201, 400, 429],
  };
  const answers = await sendAtOnce(maxClients + 3, request, storm);
  const live: { client_id: string; registration_access_token: string }[] = [];
  for (const { status, body } of answers) {
    if (status === 429) ledger.limited += 1;
    if (status === 400) ledger.interrupted += 1;
    if (status !== 201) continue;
    ledger.registered.push(body.client_id);
    live.push(body);
  }
  await Promise.all(
    live.map(async ({ client_id: id, registration_access_token: accessToken }) => {
      const name = `client ${id}`;
      const unregister = {
        method: 'DELETE',
        path: `/register/${id}`,
        headers: { Authorization: `Bearer ${accessToken}` },
        expect: [204, 401, 409],
      };
      const path = `/api/runtime/clients/${id}`;
      const way = random.integer(0, 5);
      if (way === 0) {
        const promote = { method: 'POST', path: `${path}/promote`, expect: [200, 404, 409] };
        if ((await send(promote, storm)).status === 200) ledger.promoted.push(name);
      } else if (way === 1) {
        const remove = { method: 'DELETE', path, expect: [200, 404, 409] };
        if ((await send(remove, storm)).status === 200) ledger.deleted.push(name);
      } else {
        const ends = await sendAtOnce(2, unregister, storm);
        for (const { status } of ends) if (status === 204) ledger.unregistered.push(id);
      }
    }),
  );
}

/** Counts the stack's registered clients, which is possible at any time. */
export async function countRegistrations(maxClients: number, storm: Storm): Promise<void> {
  const { body } = await send({ path: '/api/runtime/clients', expect: [200] }, storm);
  const live = body.clients.filter(({ source }: { source?: string }) => source === 'dcr').length;
  if (live > maxClients) storm.ledger.faults.push(`${live} registrations live at ${anyStack(storm).baseUrl}`);
}
