// The benchmark runs and reports its results. No test asserts a speed, which only a person with a quiet machine can
// judge.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skipBecause } from '#test/support/debian-programs.ts';
import { setFault } from '#test/support/faults.ts';
import { apiClient } from '#test/support/management-api.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';
import { contests } from '../../bench/contests/index.ts';
import { buildWithoutFaultLookup } from '../../bench/faults.ts';
import { startProgram } from '../../bench/started-program.ts';

const brief = {
  ...{ BENCH_GROWTH: '20', BENCH_GROWTH_FAMILIES: '30', BENCH_GROWTH_EVENTS: '40' },
  BENCH_GROWTH_LASTING: '2.5',
};

describe('npm run bench', () => {
  /** The output of a scenario with two short pairs. */
  async function printed(scenario: string, ...further: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', join(repositoryRoot, 'bench', 'main.ts'), '--alone', '--only', scenario, ...further],
      { cwd: repositoryRoot, env: { ...process.env, BENCH_SECONDS: '0.3', BENCH_PAIRS: '2', ...brief } },
    );
    return stdout;
  }

  verifies(
    'FLT-27',
    'compares tokens with a build without the fault lookup, in turns, and prints the ratio',
    async () => {
      const figures =
        /^no fault set, .*\n +\d+\/s, \d+\/s with the fault lookup taken out: \d+\.\d{3} \(.* in 2 pairs\)$/m;
      expect(await printed('faults')).to.match(figures);
    },
  );

  verifies('TLS-18', 'compares starts and tokens with and without TLS, in turns, and prints the ratios', async () => {
    const figures = (name: string, least: string) =>
      new RegExp(`^ +${name} +\\d+, plain \\d+: \\d+\\.\\d\\d \\(.* in 2 pairs\\), ${least}$`, 'm');
    const text = await printed('tls');
    expect(text).to.match(figures('ms to ready', 'at most 1\\.30'));
    expect(text).to.match(figures('tokens/s', 'at least 0\\.85'));
  });

  verifies('ENC-14', 'compares encrypted and plain SAML logins, in turns, and prints the ratio', async () => {
    const figures = /^SAML single sign-on, .*\n +\d+\/s, plain \d+\/s: \d+\.\d\d \(.* in 2 pairs\), at least 0\.60$/m;
    expect(await printed('encryption')).to.match(figures);
  });

  verifies(
    'SRE-12',
    'compares SAML logins with two signatures and with one, in turns, and prints the ratio',
    async () => {
      const figures =
        /^SAML single sign-on, .*\n +\d+\/s, the Assertion alone \d+\/s: \d+\.\d\d \(.* in 2 pairs\), at least 0\.55$/m;
      expect(await printed('saml_signatures')).to.match(figures);
    },
  );

  verifies('REC-08', 'compares tokens, discovery and JWKS with the recorder on and off, in turns', async () => {
    const text = await printed('recorder');
    for (const [name, least] of [
      ['client_credentials', '0\\.90'],
      ['discovery', '0\\.80'],
      ['jwks', '0\\.80'],
    ]) {
      const figures = `^ +${name} +\\d+/s, off \\d+/s: \\d+\\.\\d{3} \\(.* in 2 pairs\\), at least ${least}$`;
      expect(text).to.match(new RegExp(figures, 'm'));
    }
  });

  verifies(
    ['CLU-27', 'CLU-28', 'CLU-31'],
    'compares PostgreSQL with SQLite, and two stacks with two frontends, in turns, and prints the ratios',
    async function () {
      const text = await printed('postgres');
      if (text === '') skipBecause(this, 'the benchmark found no PostgreSQL');
      const ratio = (least: string) => `\\d+\\.\\d\\d \\(.* in 2 pairs\\), at (?:least|most) ${least}`;
      for (const [name, least] of [
        ['tokens', '0\\.60'],
        ['refresh', '0\\.45'],
        ['code', '0\\.45'],
      ]) {
        const lines = [
          `^ +${name} +\\d+/s, p99 [\\d.]+ ms; SQLite \\d+/s, p99 [\\d.]+ ms`,
          ` +rate ${ratio(least ?? '')}`,
          ` +p99 ${ratio('3')}`,
          ' +one of them: \\d+\\.\\d\\d commits that write, \\d+ bytes of log; \\d+ sessions of a stack$',
        ];
        expect(text).to.match(new RegExp(lines.join('\n'), 'm'));
      }
      expect(text).to.match(/^two stacks on one PostgreSQL, .*\n +\d+\/s, \d+\/s: .* in 2 pairs\), at least 0\.95$/m);
    },
  );

  it('gets a correct response for every kind of request, and prints rate and processor time', async () => {
    const text = await printed(Object.keys(contests).join(','));
    for (const { title } of Object.values(contests)) {
      const [, figures = ''] = text.split(`${title} (target: `);
      expect(figures, title).to.match(/^.*\):\n {2}test-idp +\d+\/s {2}\d+\.\d{3} ms of processor {2}p99 \d+\.\d ms/);
    }
  });

  it('compares a request with that of another build, in turns', async () => {
    // Processor time is measured in ticks, and a brief load may use none.
    const figures =
      /:\n {2}ms of processor +[\d.]+, the other [\d.]+: .*\n {2}a second +\d+, the other \d+: \d+\.\d\d \(.* in 2 pairs\)/;
    expect(await printed('jwks', '--beside', join(repositoryRoot, 'dist'))).to.match(figures);
  });

  it('measures what users, clients, families, events and time add to a request', async () => {
    const text = await printed('growth');
    for (const what of ['20 users', '20 clients', '30 families that were refreshed', '40 audit events']) {
      expect(text).to.match(new RegExp(`${what}:\n +client_credentials +\\d`));
    }
    expect(text).to.match(/\n +5 × 0\.5 s +\d+\/s, p99 \d+ ms: .+, \d+ MiB\n/);
    // Thirty loads, and more on a busy machine.
  }).timeout(400_000);

  verifies('FLT-27', 'removes the lookup from that build, so that no fault fires there', async () => {
    const build = buildWithoutFaultLookup(repositoryRoot);
    // Without a configuration there, it uses the built-in one.
    const nowhere = mkdtempSync(join(tmpdir(), 'test-idp-bench-'));
    try {
      const args = [join(build, 'cli.js'), 'start', '--port', '0', '--ready-json'];
      const program = await startProgram(args, { cwd: nowhere });
      try {
        await setFault({ api: apiClient(program) }, 'status', { at: 'jwks' });
        expect((await fetch(program.jwksUrl)).status).to.equal(200);
      } finally {
        await program.stop();
      }
    } finally {
      for (const directory of [build, nowhere]) rmSync(directory, { recursive: true, force: true });
    }
  });
});
