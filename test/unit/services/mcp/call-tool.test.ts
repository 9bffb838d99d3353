// The order in which a call is judged and what its refusals look like, with parts that fail on purpose.

import { expect } from 'chai';
import type { ToolCaller } from '#services/mcp/call-tool.ts';
import { callTool } from '#services/mcp/call-tool.ts';
import { CallsInFlight } from '#services/mcp/calls-in-flight.ts';
import { DraftConfiguration } from '#services/mcp/draft-configuration.ts';
import { tools } from '#services/mcp/tools/index.ts';
import { systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import {
  type ActiveConfiguration,
  ConfigurationUnavailableError,
  type HooksReport,
} from '#shared/state/configuration/active-configuration.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { noSandboxes } from '#test/support/no-sandboxes.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

const unused = () => expect.fail('not expected to be called');

/** Nobody here asks for any. */
const noSessions = {
  sessions: { logIn: unused, accounts: unused, use: unused, join: unused, list: unused, end: unused },
  consents: { find: unused, grant: unused, list: unused, remove: unused },
  logoutDeliveries: { takeUp: unused, settle: unused, drop: unused, postpone: unused, namespacesWithDue: unused },
  samlLogouts: { begin: unused, recent: unused, change: unused, keepEnded: unused, endedUnder: unused },
  identities: { findClient: unused, findServiceProvider: unused },
  metadataDocuments: { find: unused },
};
const noExchanges = {
  exchanges: {
    ...{
      add: unused,
      repeats: unused,
      lose: unused,
      announce: unused,
      written: unused,
      list: unused,
      newest: unused,
      arrivals: unused,
      index: unused,
      ofIndex: unused,
      count: unused,
      find: unused,
      secrets: unused,
      flows: unused,
    },
    ...{ clear: unused, state: unused, isWhole: unused, noteReset: unused, takeWait: unused, giveWait: unused },
  },
  recorderSwitch: { state: () => undefined, set: unused },
};
const noFaults = {
  inForce: () => [],
  ...{ create: unused, list: unused, find: unused, delete: unused, deleteAll: unused },
  ...{ meet: unused, claim: unused, noteFetch: unused, declare: unused },
};

interface Scene {
  readonly caller: ToolCaller;
  readonly recorded: AuditEvent[];
  /** What the next look at the files answers or throws. */
  look: () => ConfigurationSnapshot;
  /** What recording an event does. */
  record: (event: AuditEvent, options?: { readonly done?: boolean }) => void;
}

function scene(options: { readonly?: boolean; settings?: object } = {}): Scene {
  const settings = { runtime: { store: 'sqlite', path: '../runtime.db' }, ...options.settings };
  const snapshot = snapshotOf({ settings, users: { alice: { password: 'p' } } });
  const recorded: AuditEvent[] = [];
  const made: Scene = {
    recorded,
    look: () => snapshot,
    record: (event) => recorded.push(event),
    caller: {
      tools,
      readonly: options.readonly ?? false,
      calls: new CallsInFlight(),
      context: {
        draft: new DraftConfiguration(snapshot),
        configuration: fakeConfiguration(snapshot, () => made.look()),
        audit: {
          record: async (event, options) => made.record(event, options),
          read: unused,
          pieces: unused,
          counters: unused,
          clear: unused,
          close: unused,
        },
        keys: {
          signingKey: unused,
          verificationKey: unused,
          publicKeys: () => Promise.reject(new Error('the secret detail')),
          information: unused,
          announcedCertificates: unused,
          rotationRefusal: unused,
          rotate: unused,
        },
        clock: clockAt(realTime, manualClock(1_800_000_000_000)),
        store: {
          clock: { state: () => realTime, refresh: () => realTime, endAhead: async () => undefined, move: unused },
          faults: noFaults,
          ...noSessions,
          ...noExchanges,
          sharedSecrets: { get: unused },
        },
        sharesStore: true,
        sandboxes: noSandboxes,
        stopwatch: systemStopwatch,
        wait: unused,
        random: systemRandomness,
        log: silentLogger(),
      },
    },
  };
  return made;
}

function fakeConfiguration(snapshot: ConfigurationSnapshot, look: () => ConfigurationSnapshot): ActiveConfiguration {
  let inForce = snapshot;
  const report: HooksReport = {
    hook_api_version: 1,
    strict: false,
    timeout_seconds: 10,
    shell: [],
    plugins: [],
    failed_plugins: [],
  };
  return {
    async refreshed() {
      inForce = look();
      return inForce;
    },
    inForce: () => inForce,
    reload: unused,
    write: unused,
    isBehind: () => false,
    standing: () => ({ inForce: 1, behind: false, failed: undefined }),
    changedOnDisk: unused,
    declaredNames: unused,
    areFilesWritable: () => unused(),
    whileLocked: unused,
    join: unused,
    onActivated: unused,
    hooksReport: () => report,
    publishAuditEvent: unused,
    close: unused,
  };
}

const codeOf = async (made: Scene, name: string, args: Readonly<Record<string, unknown>> = {}) =>
  (await callTool(name, args, made.caller)).code;

describe('a tool call', () => {
  verifies(
    'MCP-09',
    'is judged by freshness, readonly, secret, unknown tool, arguments, handler, in this order',
    async () => {
      const made = scene({ readonly: true, settings: { management_secret: 's3cret' } });
      const fresh = made.look;
      made.look = () => {
        throw new ConfigurationUnavailableError('lock_timeout');
      };
      expect(await codeOf(made, 'create_user')).to.equal('MCP_CONFIGURATION_UNAVAILABLE');
      expect(await codeOf(made, 'no_such_tool')).to.equal('MCP_CONFIGURATION_UNAVAILABLE');
      made.look = fresh;
      expect(await codeOf(made, 'create_user')).to.equal('MCP_READONLY_MODE');

      const guarded = scene({ settings: { management_secret: 's3cret' } });
      expect(await codeOf(guarded, 'create_user')).to.equal('MCP_ADMIN_SECRET_REQUIRED');
      expect(await codeOf(guarded, 'no_such_tool')).to.equal('MCP_UNKNOWN_TOOL');
      expect(await codeOf(guarded, 'create_user', { admin_secret: 's3cret' })).to.equal('MCP_INVALID_ARGUMENTS');
      const alice = { admin_secret: 's3cret', username: 'alice', password: 'p' };
      expect(await callTool('create_user', alice, guarded.caller)).to.have.property('success', false);
      expect(await callTool('create_user', { ...alice, username: 'carol' }, guarded.caller)).to.have.property(
        'success',
        true,
      );
    },
  );

  verifies(['MCP-09', 'AUD-31'], 'is audited once whatever came of it, without its arguments', async () => {
    const made = scene({ settings: { management_secret: 's3cret' } });
    await callTool('get_user', { username: 'alice' }, made.caller);
    await callTool('get_user', { username: 'nobody' }, made.caller);
    await callTool('get_user', { username: '' }, made.caller);
    await callTool('nothing', { username: 'alice' }, made.caller);
    await callTool('delete_user', { username: 'ghost', admin_secret: 's3cret' }, made.caller);
    await callTool('delete_user', { username: 'ghost', admin_secret: 'wrong' }, made.caller);
    const at = made.caller.context.clock.now();
    const event = (tool: string, status: string, error?: string, refusal?: string) => ({
      event_type: 'mcp_tool',
      at,
      endpoint: 'mcp',
      method: tool,
      status,
      details: { tool, ...(error && { error }), ...(refusal && { refusal }) },
    });
    expect(made.recorded).to.deep.equal([
      event('get_user', 'success'),
      event('get_user', 'success'),
      event('get_user', 'error', 'MCP_INVALID_ARGUMENTS'),
      event('nothing', 'error', 'MCP_UNKNOWN_TOOL'),
      event(
        'delete_user',
        'error',
        'A declared user with this name does not exist. list_users lists the existing ones.',
        'tool_entry_unknown',
      ),
      event('delete_user', 'error', 'MCP_ADMIN_SECRET_REQUIRED'),
    ]);
    expect(JSON.stringify(made.recorded)).not.to.include('ghost').and.not.include('s3cret');
  });

  verifies(['MCP-15', 'MCP-17'], 'says which failures are worth a retry', async () => {
    const made = scene();
    const answers = [];
    for (const kind of ['lock_timeout', 'freshness_in_progress', 'lock_unsupported'] as const) {
      made.look = () => {
        throw new ConfigurationUnavailableError(kind);
      };
      answers.push(await callTool('list_users', {}, made.caller));
    }
    const unavailable = { code: 'MCP_CONFIGURATION_UNAVAILABLE', tool: 'list_users' };
    const busy = 'Another process has locked the configuration directory. Try again in a second.';
    expect(answers).to.deep.equal([
      { error: busy, ...unavailable, retryable: true },
      { error: busy, ...unavailable, retryable: true },
      {
        error: 'The filesystem of the configuration directory does not support locks.',
        ...unavailable,
        retryable: false,
      },
    ]);
  });

  verifies(['MCP-15', 'MCP-17'], 'answers a busy store as such, whether the look or the audit met it', async () => {
    const expected = {
      error: 'The runtime store is busy. Try again in a second.',
      code: 'MCP_RUNTIME_STORE_UNAVAILABLE',
      tool: 'list_users',
      retryable: true,
    };
    const looking = scene();
    looking.look = () => {
      throw new RuntimeStoreUnavailableError();
    };
    expect(await callTool('list_users', {}, looking.caller)).to.deep.equal(expected);
    const recording = scene();
    recording.record = () => {
      throw new RuntimeStoreUnavailableError();
    };
    expect(await callTool('list_users', {}, recording.caller)).to.deep.equal(expected);
  });

  verifies(['AUD-31', 'AUD-09'], 'hands the event of a change, and of that alone, on as done', async () => {
    const made = scene();
    const done: unknown[] = [];
    made.record = ({ method, status }, options) => done.push([method, status, options?.done]);
    await callTool('list_users', {}, made.caller);
    await callTool('create_user', { username: 'carol', password: 'p' }, made.caller);
    await callTool('create_user', { username: 'carol', password: 'p' }, made.caller);
    expect(done).to.deep.equal([
      ['list_users', 'success', false],
      ['create_user', 'success', true],
      ['create_user', 'error', false],
    ]);
  });

  verifies(
    ['MCP-15', 'MCP-09'],
    'says that a change stands when neither audit nor outbox can be had, and records it as soon as it can',
    async () => {
      const made = scene();
      const { record } = made;
      made.record = () => {
        throw new RuntimeStoreUnavailableError();
      };
      const answered = await callTool('create_user', { username: 'carol', password: 'p' }, made.caller);
      expect(answered).to.deep.equal({
        error:
          'The call succeeded and its changes are stored. The audit is busy, so the audit event is written later. Do not repeat the call before you have read the current state.',
        code: 'MCP_RUNTIME_STORE_UNAVAILABLE',
        tool: 'create_user',
        retryable: true,
      });
      expect(made.caller.context.draft.userEntry('carol')).to.deep.include({ password: 'p' });
      // A call that failed has changed nothing: there the plain answer is right.
      const failed = await callTool('create_user', { username: 'carol', password: 'p' }, made.caller);
      expect(failed.error).to.equal('The runtime store is busy. Try again in a second.');
      made.record = record;
      while (made.recorded.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(made.recorded).to.have.length(1);
      expect(made.recorded[0]).to.deep.include({ method: 'create_user', status: 'success' });
    },
  );

  verifies('MCP-40', 'does not call a rotation a failure because the audit was busy', async () => {
    const made = scene();
    const rotation = { old_kid: 'a', new_kid: 'b', previous_keys_count: 1, rotated_at: '2027-01-15T08:00:00.000Z' };
    const keys = { ...made.caller.context.keys, rotate: async () => rotation };
    let busy = true;
    const recorded: string[] = [];
    made.record = ({ event_type }) => {
      if (busy && event_type === 'key_rotation') throw new RuntimeStoreUnavailableError();
      recorded.push(event_type);
    };
    const caller = { ...made.caller, context: { ...made.caller.context, keys } };
    expect(await callTool('rotate_keys', {}, caller)).to.deep.equal({ success: true, ...rotation });
    busy = false;
    while (recorded.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(recorded).to.deep.equal(['mcp_tool', 'key_rotation']);
  });

  it('names arguments that a tool does not know, since they are often misspelt', async () => {
    const made = scene();
    const args = { username: 'carol', password: 'p', role: ['ADMIN'], admin_secret: 'unneeded' };
    const created = await callTool('create_user', args, made.caller);
    expect(created).to.deep.include({ success: true, ignored_arguments: ['role'] });
    expect(await callTool('get_user', { username: 'carol' }, made.caller)).not.to.have.key('ignored_arguments');
  });

  verifies('MCP-14', 'refuses an attribute that no entry can have, instead of leaving it out', async () => {
    const attributes = JSON.parse('{"list": [{"__proto__": 1}]}');
    const refused = await callTool('create_user', { username: 'carol', password: 'p', attributes }, scene().caller);
    expect(refused).to.deep.include({
      code: 'MCP_INVALID_ARGUMENTS',
      error: 'Invalid arguments: attributes.list.0.__proto__ is a reserved name.',
    });
  });

  verifies(['MCP-15', 'MCP-17'], 'tells nothing of an unexpected failure but that it was one', async () => {
    expect(await callTool('get_jwks', {}, scene().caller)).to.deep.equal({
      error: 'The call failed unexpectedly. The server log has the cause.',
      code: 'MCP_INTERNAL_ERROR',
      tool: 'get_jwks',
    });
  });

  verifies('MCP-13', 'needs the whole secret, as text, and hands it to no handler', async () => {
    const made = scene({ settings: { management_secret: 's3cret' } });
    for (const secret of [undefined, '', 's3cre', 's3cret ', 7, ['s3cret'], null]) {
      const args = { username: 'carol', password: 'p', admin_secret: secret };
      expect(await codeOf(made, 'create_user', args), String(secret)).to.equal('MCP_ADMIN_SECRET_REQUIRED');
    }
    expect(await codeOf(made, 'list_users')).to.equal(undefined);
    const created = await callTool(
      'create_user',
      { username: 'carol', password: 'p', admin_secret: 's3cret' },
      made.caller,
    );
    expect(JSON.stringify(created)).not.to.include('s3cret');
  });

  verifies('MCP-10', 'takes over changed files, but never over unsaved changes', async () => {
    const made = scene();
    const edited = snapshotOf({
      settings: { runtime: { store: 'sqlite', path: '../runtime.db' } },
      users: { bob: { password: 'p' } },
    });
    const names = async () => {
      const { users } = await callTool('list_users', {}, made.caller);
      return Array.isArray(users) ? users.map((user) => user.username) : [];
    };
    expect(await names()).to.deep.equal(['alice']);
    const revision = made.caller.context.draft.revisions.users;
    await callTool('create_user', { username: 'carol', password: 'p' }, made.caller);
    made.look = () => edited;
    expect(await names()).to.deep.equal(['alice', 'carol']);
    expect(made.caller.context.draft.revisions.users).to.equal(revision);

    const untouched = scene();
    untouched.look = () => edited;
    await callTool('list_users', {}, untouched.caller);
    expect([...untouched.caller.context.draft.snapshot().users.keys()]).to.deep.equal(['bob']);
    expect(untouched.caller.context.draft.revisions).to.deep.equal(edited.revisions);
  });
});
