// Shell hooks and plugins: when they run, what they get, what their failure means (HOK).

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { createLogger } from '#shared/base/logger.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { logSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { ConfigurationRejectedError } from '#shared/state/configuration/active-configuration.ts';
import { diagnoseDirectory } from '#shared/state/configuration/diagnose-directory.ts';
import { until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';
import { lineSink } from '../line-sink.ts';
import { type OpenedDirectory, openDirectory } from '../opened-directory.ts';

async function rejection(work: Promise<unknown>): Promise<ConfigurationRejectedError | undefined> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ConfigurationRejectedError) return error;
    throw error;
  }
  return undefined;
}

function hasEnded(pid: number | undefined): boolean {
  try {
    return pid === undefined || !process.kill(pid, 0);
  } catch {
    return true;
  }
}

const first = { runBeforeLoadHook: true };

describe('hooks', () => {
  let opened: OpenedDirectory;
  let trace: string;
  const traced = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : []);
  const configure = (text: string) => opened.write('settings.yaml', text.replaceAll('TRACE', trace));
  beforeEach(() => {
    opened = openDirectory('');
    trace = join(opened.directory, '..', 'trace');
  });
  afterEach(() => opened.remove());

  /** A plugin that writes what it is called with to the trace. */
  const plugin = (name: string, body = '') =>
    writeFileSync(
      opened.path(name),
      `import { appendFileSync } from 'node:fs';
const say = (...words) => appendFileSync(${JSON.stringify(trace)}, words.join(' ') + '\\n');
export default { hook_api_version: 1, configure(settings) { say('configure', JSON.stringify(settings)); },
  on_before_load(directory) { say('plugin before', directory); },
  async on_config_saved(path, kind) { say('plugin saved', kind); },
  on_audit_event(event) { say('plugin audit', event.event_type); }, ${body} };\n`,
    );

  verifies(
    ['HOK-01', 'HOK-02', 'HOK-03'],
    'run with their words, at a start, at a reload, after a file, and at no other activation',
    async () => {
      configure(
        "hooks:\n  on_before_load: 'echo before {config_dir} {other} >> TRACE'\n  on_config_saved: 'echo saved {kind} {path} >> TRACE'\n",
      );
      const active = await opened.open(first);
      expect(traced()).to.deep.equal([`before ${opened.directory} {other}`]);
      await active.reload();
      expect(traced()).to.have.length(2);
      await active.write([{ kind: 'set', path: 'oauth.audience', value: 'x' }]);
      expect(traced().slice(2)).to.deep.equal([`saved settings ${opened.path('settings.yaml')}`]);
      const sibling = await opened.open();
      await sibling.refreshed();
      expect(traced()).to.have.length(3);
      const shared = await opened.open({ sharedStore: true });
      opened.write('users.yaml', 'users: {ada: {}}');
      expect((await shared.refreshed()).users.size).to.equal(1);
      expect(traced()).to.have.length(3);
    },
  );

  verifies('HOK-01', 'no word is read as shell, whatever it consists of and however it is quoted', async () => {
    const odd = openDirectory(undefined, undefined, `h-$(echo ran)\`echo ran\`;echo ran' "'`);
    const commands = [
      'echo saved:{config_dir}/{kind}',
      'echo "saved:{config_dir}/{kind}"',
      "echo 'saved:{config_dir}/{kind}'",
      'echo saved:\\"{config_dir}/{kind}\\"',
      '(printf "%s" "$(printf %s "saved:{config_dir}")/"; echo {kind})',
      'echo "saved:$TEST_IDP_HOOK_CONFIG_DIR/$TEST_IDP_HOOK_KIND"',
    ];
    try {
      for (const command of commands) {
        writeFileSync(trace, '');
        odd.write('settings.yaml', JSON.stringify({ hooks: { on_config_saved: `${command} >> ${trace}` } }));
        odd.write('users.yaml', 'users: {}\n');
        const active = await odd.open({ generations: undefined });
        await active.write([{ kind: 'set', path: 'oauth.audience', value: 'x' }]);
        const quotes = command.includes('\\"') ? '"' : '';
        expect(traced(), command).to.deep.equal([`saved:${quotes}${odd.directory}/settings${quotes}`]);
      }
    } finally {
      odd.remove();
    }
  });

  verifies('HOK-02', 'before the files are read: what the hook writes is what is loaded', async () => {
    configure(`hooks:\n  on_before_load: "echo 'users: {made: {}}' > {config_dir}/users.yaml"\n`);
    expect([...(await opened.open(first)).inForce().users.keys()]).to.deep.equal(['made']);
  });

  verifies('HOK-02', 'before the files are read, however their key is written', async () => {
    const hook = `on_before_load: 'echo ran >> TRACE'`;
    for (const text of [
      `\uFEFFhooks: {${hook}}\n`,
      `'hooks': {${hook}}\n`,
      `{"hooks": {${hook}}}\n`,
      `? hooks\n: {${hook}}\n`,
    ]) {
      writeFileSync(trace, '');
      configure(text);
      await opened.open({ ...first, generations: undefined });
      expect(traced(), text).to.deep.equal(['ran']);
    }
  });

  verifies(
    ['HOK-01', 'HOK-08'],
    'on_audit_event gets each event as JSON on standard input and delays nobody',
    async () => {
      configure("hooks:\n  on_audit_event: 'cat >> TRACE; echo {event_type} >> TRACE; exit 3'\n  strict: true\n");
      const active = await opened.open();
      active.publishAuditEvent({ event_type: 'login', username: "it's" });
      active.publishAuditEvent({ event_type: 'logout', username: 'b' });
      await active.close();
      expect(traced()).to.deep.equal([
        '{"event_type":"login","username":"it\'s"}',
        'login',
        '{"event_type":"logout","username":"b"}',
        'logout',
      ]);
      expect(active.hooksReport().shell).to.deep.equal([{ event: 'on_audit_event', failures: 2 }]);
    },
  );

  const ways = {
    'by its exit code': ['exit 3', 'ended with exit code 3'],
    'by its time': ['sleep 30', 'ran longer than 0.5 seconds'],
    'by not starting': ['/no/such/program', 'ended with exit code 127'],
    'by a signal': ['kill -9 $$', 'was killed by SIGKILL'],
  };
  for (const [way, [command = '', sentence = '']] of Object.entries(ways)) {
    verifies(
      ['HOK-05', 'HOK-06', 'HOK-12'],
      `that fail ${way} are logged and counted, and the others run`,
      async () => {
        plugin('ok.mjs');
        const lines: string[] = [];
        const log = createLogger({ name: 'test', pretty: lineSink(lines), secrets: logSecrets });
        // Half a second is little for a process that starts on a busy machine.
        const seconds = sentence.includes('0.5 seconds') ? 0.5 : 10;
        configure(`hooks: {on_before_load: '${command}', timeout_seconds: ${seconds}}\nplugins: {./ok.mjs: {}}\n`);
        const start = performance.now();
        const active = await opened.open({ ...first, generations: undefined, log });
        expect(performance.now() - start).to.be.below(25_000);
        const before = `plugin before ${opened.directory}`;
        expect(traced()).to.deep.equal(['configure {}', before]);
        expect(active.hooksReport().shell).to.deep.equal([{ event: 'on_before_load', failures: 1 }]);
        await active.reload();
        expect(traced()).to.deep.equal(['configure {}', before, before]);
        expect(active.inForce().settings.hooks.on_before_load).to.equal(command);
        const report = active.hooksReport();
        expect(report.shell).to.deep.equal([{ event: 'on_before_load', failures: 2 }]);
        expect(report.plugins.map(({ failures }) => failures)).to.deep.equal([0]);
        expect(JSON.stringify(report)).to.not.contain(command);
        expect(lines.filter((line) => line.includes(`the hook on_before_load ${sentence}`))).to.have.length(2);
      },
    );
  }

  verifies(['HOK-05', 'HOK-06'], 'of a plugin that throw, reject or never end count as its failures', async () => {
    plugin('throws.mjs', "on_config_saved() { throw new Error('no'); }");
    plugin('rejects.mjs', "async on_config_saved() { throw new Error('no'); }");
    plugin('hangs.mjs', 'on_config_saved() { return new Promise(() => {}); }');
    plugin('works.mjs');
    configure(
      'hooks: {timeout_seconds: 0.2}\nplugins: {./throws.mjs: {}, ./rejects.mjs: {}, ./hangs.mjs: {}, ./works.mjs: {}}\n',
    );
    const active = await opened.open();
    for (const audience of ['x', 'y']) {
      const written = await active.write([{ kind: 'set', path: 'oauth.audience', value: audience }]);
      expect(written.outcome === 'written' && written.hookError).to.equal(undefined);
    }
    expect(active.hooksReport().plugins.map(({ failures }) => failures)).to.deep.equal([2, 2, 2, 0]);
    expect(traced().filter((line) => line === 'plugin saved settings')).to.have.length(2);
  });

  it('delivers the events that earlier hooks were handed before it is closed', async () => {
    configure("hooks: {on_audit_event: 'sleep 0.3; echo {event_type} >> TRACE'}\n");
    const active = await opened.open();
    active.publishAuditEvent({ event_type: 'login' });
    configure('');
    await active.reload();
    await active.close();
    expect(traced()).to.deep.equal(['login']);
  });

  verifies(['API-14', 'API-15'], 'end with a start that is given up, which loads nothing any more', async () => {
    configure("hooks: {on_before_load: 'echo begun >> TRACE; sleep 30; echo ended >> TRACE', timeout_seconds: 60}\n");
    plugin('later.mjs');
    const givenUp = new AbortController();
    const opening = opened.open({ ...first, givenUp: givenUp.signal }).catch((error: unknown) => error);
    await until('the hook runs', () => traced().includes('begun'));
    const reason = new Error('the test is over');
    givenUp.abort(reason);
    expect(await opening).to.equal(reason);
    expect(traced()).to.deep.equal(['begun']);
    expect(await opened.open({ ...first, givenUp: givenUp.signal }).catch((error: unknown) => error)).to.equal(reason);
    expect(traced()).to.deep.equal(['begun']);
  });

  verifies('API-14', 'of a plugin are not waited for by a start that is given up', async () => {
    plugin('hangs.mjs', `on_before_load() { say('begun'); return new Promise(() => {}); }`);
    configure('hooks: {timeout_seconds: 60}\nplugins: {./hangs.mjs: {}}\n');
    const givenUp = new AbortController();
    const opening = opened.open({ ...first, givenUp: givenUp.signal }).catch((error: unknown) => error);
    await until('the hook runs', () => traced().includes('begun'));
    const reason = new Error('the test is over');
    givenUp.abort(reason);
    expect(await opening).to.equal(reason);
  });

  verifies('API-31', 'are ended where they are too slow for the end, and none begins afterwards', async () => {
    configure("hooks: {on_audit_event: 'echo $$ {event_type} >> TRACE; sleep 30', timeout_seconds: 60}\n");
    const active = await opened.open();
    active.publishAuditEvent({ event_type: 'login' });
    active.publishAuditEvent({ event_type: 'logout' });
    await until('the hook runs', () => traced().some((line) => line.endsWith('login')));
    const [pid] = traced().map((line) => Number.parseInt(line, 10));
    await active.close(1);
    await until('its command has ended', () => hasEnded(pid));
    await active.close();
    expect(traced()).to.have.length(1);
  });

  verifies('API-31', 'of a reload end with what is reloaded', async () => {
    configure('');
    const active = await opened.open();
    configure("hooks: {on_before_load: 'echo begun >> TRACE; sleep 30', timeout_seconds: 60}\n");
    const reloading = active.reload().catch((error: unknown) => error);
    await until('the hook runs', () => traced().includes('begun'));
    await active.close(1);
    expect(await reloading).to.have.property('name', 'AbortError');
  });

  verifies(
    ['HOK-07', 'ACT-09'],
    'when strict, a failing on_before_load refuses start and reload; on_config_saved is reported after the write',
    async () => {
      configure("hooks: {on_before_load: 'exit 1', strict: true}\n");
      expect((await rejection(opened.open({ ...first })))?.kind).to.equal('on_before_load');
      configure(
        "oauth: {audience: a}\nhooks: {on_before_load: 'test ! -e TRACE', on_config_saved: 'exit 1', strict: true}\n",
      );
      const active = await opened.open(first);
      writeFileSync(trace, '');
      expect((await rejection(active.reload()))?.kind).to.equal('on_before_load');
      const outcome = await active.write([{ kind: 'set', path: 'oauth.audience', value: 'b' }]);
      expect(outcome.outcome === 'written' && outcome.hookError).to.equal(
        'the hook on_config_saved ended with exit code 1',
      );
      expect(active.inForce().settings.oauth.audience).to.equal('b');
    },
  );

  verifies(
    ['HOK-09', 'HOK-10', 'HOK-12'],
    'of plugins run after the shell, in the order declared, with their settings',
    async () => {
      plugin('b.mjs');
      plugin('a.mjs');
      configure("hooks: {on_config_saved: 'echo shell >> TRACE'}\nplugins:\n  ./b.mjs: {n: 1}\n  a.mjs:\n");
      const active = await opened.open();
      expect(traced()).to.deep.equal(['configure {"n":1}', 'configure {}']);
      await active.write([{ kind: 'set', path: 'oauth.audience', value: 'x' }]);
      expect(traced().slice(2)).to.deep.equal(['shell', 'plugin saved settings', 'plugin saved settings']);
      active.publishAuditEvent({ event_type: 'login' });
      await active.close();
      expect(traced().slice(5)).to.deep.equal(['plugin audit login', 'plugin audit login']);
      expect(active.hooksReport()).to.deep.equal({
        hook_api_version: 1,
        strict: false,
        timeout_seconds: 10,
        shell: [{ event: 'on_config_saved', failures: 0 }],
        plugins: [
          { module: './b.mjs', events: ['on_before_load', 'on_config_saved', 'on_audit_event'], failures: 0 },
          { module: 'a.mjs', events: ['on_before_load', 'on_config_saved', 'on_audit_event'], failures: 0 },
        ],
        failed_plugins: [],
      });
    },
  );

  verifies(
    ['HOK-11', 'ACT-09'],
    'of plugins that cannot be used are listed, and refuse the load when strict, after all were tried',
    async () => {
      plugin('good.mjs');
      plugin('old.mjs', 'hook_api_version: 2');
      plugin('bad.mjs', "configure() { throw new Error('secret detail'); }");
      const plugins = 'plugins: {./gone.mjs: {}, ./old.mjs: {}, ./bad.mjs: {}, ./good.mjs: {}}\n';
      configure(plugins);
      const active = await opened.open();
      expect(active.hooksReport().plugins.map(({ module }) => module)).to.deep.equal(['./good.mjs']);
      expect(active.hooksReport().failed_plugins).to.deep.equal([
        { module: './gone.mjs', reason: 'was not found' },
        { module: './old.mjs', reason: 'must have hook_api_version 1' },
        { module: './bad.mjs', reason: 'failed in configure' },
      ]);
      configure(`hooks: {strict: true}\n${plugins}`);
      const refused = await rejection(active.reload());
      expect(refused?.kind).to.equal('plugin_load');
      expect(refused?.message)
        .to.contain('./gone.mjs was not found')
        .and.to.contain('./bad.mjs failed in configure')
        .and.not.to.contain('secret detail');
      expect(active.inForce().settings.hooks.strict).to.equal(false);
    },
  );

  verifies('ACT-16', 'take effect with the reload that declares them', async () => {
    const active = await opened.open();
    configure("hooks: {on_config_saved: 'echo saved >> TRACE'}\n");
    await active.reload();
    await active.write([{ kind: 'set', path: 'oauth.audience', value: 'x' }]);
    expect(traced()).to.deep.equal(['saved']);
  });

  verifies('HOK-13', 'are run by no diagnosis', async () => {
    plugin('p.mjs');
    configure(
      "hooks: {on_before_load: 'echo before >> TRACE', strict: true}\nplugins: {./p.mjs: {}, ./gone.mjs: {}}\n",
    );
    const diagnosis = await diagnoseDirectory({
      directory: opened.directory,
      environment: {},
      problemsOfFault,
      stopwatch: systemStopwatch,
    });
    expect(diagnosis.status).to.equal('valid');
    expect(traced()).to.deep.equal([]);
  });
});
