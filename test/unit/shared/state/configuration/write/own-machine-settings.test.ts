// How another machine writes a declared text: it keeps its own machine settings, and takes everything else from the
// declared text.
import { expect } from 'chai';
import { parse } from 'yaml';
import { machineSettings } from '#shared/model/configuration/projections/yaml.ts';
import { sharedDigest } from '#shared/state/configuration/load/shared-meaning.ts';
import { withOwnMachineSettings } from '#shared/state/configuration/write/own-machine-settings.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { verifies } from '#test/support/verifies.ts';

const digest = (settings: string | undefined, users = 'users: {}\n') => sharedDigest({ settings, users });

describe('the machine settings in a text that another machine declared', () => {
  it('are two levels deep, as the code that moves them expects', () => {
    expect(machineSettings.map(({ length }) => length)).to.deep.equal(machineSettings.map(() => 2));
    expect(machineSettings.map((path) => path.join('.'))).to.deep.equal([
      ...['server.host', 'server.port', 'server.tls', 'server.tls_names', 'jwt.keys_dir'],
      ...['runtime.store', 'runtime.path', 'runtime.url', 'runtime.schema', 'runtime.pool_size'],
    ]);
  });

  verifies('CLU-19', 'keep the own text unchanged if nothing else differs, with its comments and layout', () => {
    const own = '# mine\nserver: {port: 9001}\noauth:\n    audience: x # same\n';
    const declared = 'oauth:\n  audience: x\nserver:\n  # theirs\n  port: 9000\n  tls: auto\n';
    expect(withOwnMachineSettings(declared, own)).to.equal(own);
    expect(digest(declared)).to.equal(digest(own));
  });

  verifies('CLU-19', 'replace the others, with the comments next to and above them', () => {
    const own = [
      'server:',
      '    # the port of this machine',
      '    port: ${PORT:9001} # behind the proxy',
      '    debug: false',
      'oauth: {audience: old}',
      '',
    ].join('\n');
    const declared = [
      '# declared',
      'server:',
      '  host: 0.0.0.0 # theirs',
      '  debug: true # for all',
      '  # the port of that machine',
      '  port: 9000',
      'oauth: {audience: new}',
      '',
    ].join('\n');
    expect(withOwnMachineSettings(declared, own)).to.equal(
      [
        '# declared',
        'server:',
        '  debug: true # for all',
        '  # the port of this machine',
        '  port: ${PORT:9001} # behind the proxy',
        'oauth: {audience: new}',
        '',
      ].join('\n'),
    );
  });

  verifies('CLU-19', 'are inserted with their section, once, if the declared text has none', () => {
    const declared = 'oauth: {audience: new}\n# the provider\nsaml: {sign_responses: true}\n';
    const first = '# here\nserver:\n  # own\n  port: 9001\n  debug: true\noauth: {audience: old}\n';
    expect(withOwnMachineSettings(declared, first)).to.equal(`# here\nserver:\n  # own\n  port: 9001\n${declared}`);
    const middle = 'oauth: {audience: old}\n\n# here\nserver:\n  port: 9001\n\nsaml: {}\n';
    expect(withOwnMachineSettings(declared, middle)).to.equal(
      'oauth: {audience: new}\n# here\nserver:\n  port: 9001\n# the provider\nsaml: {sign_responses: true}\n',
    );
    const last = 'oauth: {audience: old}\nruntime:\n  store: sqlite\n  path: ../x.db';
    expect(withOwnMachineSettings(declared, last)).to.equal(
      'oauth: {audience: new}\nruntime:\n  store: sqlite\n  path: ../x.db\n# the provider\nsaml: {sign_responses: true}\n',
    );
  });

  verifies('CLU-19', 'keep a common header of both texts at the top, once', () => {
    const header = '# yaml-language-server: $schema=settings.schema.json\n';
    const declared = `${header}oauth: {audience: new}\n`;
    expect(withOwnMachineSettings(declared, `${header}server:\n  port: 1\noauth: {}\n`)).to.equal(
      `${header}server:\n  port: 1\noauth: {audience: new}\n`,
    );
  });

  verifies(
    'CLU-19',
    'are removed from the declared text if the own one has none, with a section that has no other keys',
    () => {
      const declared =
        'server:\n  # where\n  port: 9000\nruntime:\n  path: x\n  updates: true\noauth: {audience: new}\n';
      expect(withOwnMachineSettings(declared, 'oauth: {audience: old}\n')).to.equal(
        'runtime:\n  updates: true\noauth: {audience: new}\n',
      );
      expect(withOwnMachineSettings(declared, undefined)).to.equal(
        'runtime:\n  updates: true\noauth: {audience: new}\n',
      );
    },
  );

  verifies('CLU-19', 'can have several lines each, which are re-indented together', () => {
    const own = 'server:\n    tls:\n        cert: a.pem\n        key: b.pem\n    tls_names:\n    - one\n    - two\n';
    expect(withOwnMachineSettings('server:\n  debug: true\n  tls: auto\n', own)).to.equal(
      'server:\n  debug: true\n  tls:\n      cert: a.pem\n      key: b.pem\n  tls_names:\n  - one\n  - two\n',
    );
  });

  verifies('CLU-19', 'can move between mappings in braces and in lines', () => {
    const merge = (declared: string, own: string) => parse(String(withOwnMachineSettings(declared, own)));
    const braces = '{server: {port: 9000, debug: true}, oauth: {audience: new}}\n';
    const lines = 'server:\n  port: 9001\n  tls: {cert: a, key: b}\noauth: {audience: old}\n';
    const merged = { server: { port: 9001, tls: { cert: 'a', key: 'b' }, debug: true }, oauth: { audience: 'new' } };
    expect(merge(braces, lines)).to.deep.equal(merged);
    expect(merge(lines, braces)).to.deep.equal({ server: { port: 9000 }, oauth: { audience: 'old' } });
  });

  verifies('CLU-19', 'are reported as not kept if an alias represents them', () => {
    expect(
      withOwnMachineSettings('server: {port: &p 1}\ndevice_flow: {polling_interval: *p}\n', 'oauth: {}\n'),
    ).to.equal('not_kept');
    expect(
      withOwnMachineSettings('oauth: {audience: x}\n', 'device_flow: &d {polling_interval: 1}\nserver: *d\n'),
    ).to.equal('not_kept');
  });

  verifies('CLU-19', 'do not differ between a missing file and its defaults', () => {
    expect(withOwnMachineSettings(undefined, undefined)).to.equal(undefined);
    const own =
      'server: {port: 1}\noauth:\n  clients:\n    - client_id: demo-client\n      client_secret: demo-secret\n';
    expect([withOwnMachineSettings(undefined, own), digest(undefined)]).to.deep.equal([own, digest(own)]);
    expect(withOwnMachineSettings(undefined, 'server:\n  port: 1\noauth: {}\n')).to.match(
      /^server:\n {2}port: 1\noauth:\n {2}clients:\n {4}- client_id: demo-client\n/,
    );
  });

  verifies('CLU-19', 'are kept in any mixture of texts, and the declared content does not change', () => {
    const { seed, next: random } = seededRandom();
    const sections = {
      server: ['port', 'debug', 'host'],
      runtime: ['path', 'updates'],
      jwt: ['keys_dir', 'max_previous_keys'],
    };
    const textOf = () => {
      const chosen = Object.entries({ ...sections, oauth: ['audience'], saml: ['entity_id'] })
        .filter(() => random() < 0.7)
        .sort(() => random() - 0.5);
      return chosen
        .map(([name, keys]) => {
          const members = keys.filter(() => random() < 0.6).map((key) => `${key}: v${Math.floor(random() * 9)}`);
          const above = random() < 0.3 ? `# about ${name}\n` : '';
          const gap = random() < 0.3 ? '\n' : '';
          if (random() < 0.1) return `${above}${name}: {${members.join(', ')}}\n${gap}`;
          const indent = random() < 0.5 ? '  ' : '    ';
          const lines = members.map(
            (line) => `${random() < 0.3 ? `${indent}# of ${line}\n` : ''}${indent}${line} # x\n`,
          );
          return `${above}${name}:${lines.length === 0 ? ' {}' : ''}\n${lines.join('')}${gap}`;
        })
        .join('');
    };
    for (let round = 0; round < 300; round += 1) {
      const [declared, own] = [textOf(), textOf()];
      const merged = withOwnMachineSettings(declared, own);
      const message = `seed ${seed}, round ${round}\n--- declared\n${declared}--- own\n${own}--- merged\n${merged}`;
      expect(merged, message).not.to.equal('not_kept');
      const [read, mine] = [parse(String(merged)) ?? {}, parse(own) ?? {}];
      expect(digest(merged), message).to.equal(digest(declared));
      for (const [section = '', key = ''] of machineSettings) {
        expect(read[section]?.[key], message).to.equal(mine[section]?.[key]);
      }
      expect(digest(withOwnMachineSettings(merged, own)), `again: ${message}`).to.equal(digest(declared));
      expect(withOwnMachineSettings(own, String(merged)), `back: ${message}`).to.satisfy(
        (back: string) => digest(back) === digest(own),
      );
    }
  });
});
