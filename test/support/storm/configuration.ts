// What changes files and keys in a storm: reloads, rotations, and an editor that saves over MCP. The editor sometimes
// declares the name of a runtime user, which must then give way (RUN-21).
import type { McpConnection } from '#test/support/mcp-client.ts';
import { newName } from './identities.ts';
import { send, type Weather } from './weather.ts';

export async function reload(weather: Weather): Promise<void> {
  await send({ method: 'POST', path: '/api/config/reload', expect: [200] }, weather);
  weather.ledger.reloads += 1;
}

export async function rotate(weather: Weather): Promise<void> {
  const { status, body } = await send({ method: 'POST', path: '/api/keys/rotate', expect: [200] }, weather);
  if (status === 200) weather.ledger.rotated.push(body.new_kid);
}

/** Reload, add a user, save with the revisions just read; a conflict is an answer like any other. */
export async function saveFromEditor(editor: McpConnection, weather: Weather): Promise<void> {
  const { ledger, random } = weather;
  const username = newName('e');
  if (random.integer(0, 1) === 0) {
    const create = { method: 'POST', path: '/api/runtime/users', json: { username }, expect: [201] };
    if ((await send(create, weather)).status === 201) ledger.created.push(`user ${username}`);
  }
  const call = (name: string, args = {}) => {
    ledger.toolCalls += 1;
    return editor.call(name, args);
  };
  const fresh = await call('reload_config');
  if (fresh.isError) return refused('reload_config', fresh.result, weather);
  await call('create_user', { username, password: 'p' });
  const { users_revision, settings_revision } = fresh.result;
  const saved = await call('save_config', {
    expected_users_revision: users_revision,
    expected_settings_revision: settings_revision,
  });
  if (saved.isError) return refused('save_config', saved.result, weather);
  ledger.saved.push(username);
}

function refused(tool: string, result: Readonly<Record<string, unknown>>, { ledger }: Weather): void {
  if (result.kind === 'conflict' || result.kind === 'lock_timeout') ledger.conflicts += 1;
  else ledger.faults.push(`${tool}: ${JSON.stringify(result)}`);
}
