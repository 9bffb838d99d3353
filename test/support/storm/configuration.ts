// Changes of files and keys during a storm: reloads, rotations, and an editor that saves over MCP. The editor sometimes
// declares the name of a runtime user, which is then removed (RUN-21).
import type { McpConnection, ToolAnswer } from '#test/support/mcp-client.ts';
import { newName } from './identities.ts';
import { type Storm, send } from './send-to-stacks.ts';

export async function reload(storm: Storm): Promise<void> {
  await send({ method: 'POST', path: '/api/config/reload', expect: [200] }, storm);
  storm.ledger.reloads += 1;
}

export async function rotate(storm: Storm): Promise<void> {
  const { status, body } = await send({ method: 'POST', path: '/api/keys/rotate', expect: [200] }, storm);
  if (status === 200) storm.ledger.rotated.push(body.new_kid);
}

/** Reloads, adds a user and saves with the revisions just read. A conflict is a valid result. */
export async function saveFromEditor(editor: McpConnection, storm: Storm): Promise<void> {
  const { ledger, random } = storm;
  const username = newName('e');
  if (random.integer(0, 1) === 0) {
    const create = { method: 'POST', path: '/api/runtime/users', json: { username }, expect: [201] };
    if ((await send(create, storm)).status === 201) ledger.created.push(`user ${username}`);
  }
  const call = (name: string, args = {}) => {
    ledger.toolCalls += 1;
    return editor.call(name, args);
  };
  const fresh = await call('reload_config');
  if (fresh.isError) return refused('reload_config', fresh.result, storm);
  // Only save_config reports its other errors. Without the user, nothing could be saved.
  const made = await call('create_user', { username, password: 'p' });
  if (made.isError && isBusy(made.result)) return refused('create_user', made.result, storm);
  const { users_revision, settings_revision } = fresh.result;
  const saved = await call('save_config', {
    expected_users_revision: users_revision,
    expected_settings_revision: settings_revision,
  });
  if (saved.isError) return refused('save_config', saved.result, storm);
  ledger.saved.push(username);
}

/** Another process held the directory for longer than a call waits, and nothing was done. */
const isBusy = ({ code, retryable }: ToolAnswer['result']) =>
  code === 'MCP_CONFIGURATION_UNAVAILABLE' && retryable === true;

function refused(tool: string, result: ToolAnswer['result'], { ledger }: Storm): void {
  if (result.kind === 'conflict' || result.kind === 'lock_timeout' || isBusy(result)) ledger.conflicts += 1;
  else ledger.faults.push(`${tool}: ${JSON.stringify(result)}`);
}
