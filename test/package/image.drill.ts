// The container image, built whole from the Dockerfile and run without an engine: its own root file system, read-only, as
// its own user, without a capability (IMG-16). Nothing here proves a pull of the default base, another architecture, or an
// engine's own networking.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { type ImageBuilder, type ImageConfiguration, makeImageBuilder } from '#test/support/image-builder.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { skipBecause, toolOrSkip } from '#test/support/tools.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the container image', function () {
  this.timeout(600_000);
  let builder: ImageBuilder | undefined;
  let configuration: ImageConfiguration;
  let root: string;
  before(function () {
    // Where the tests themselves run in a container they may not be allowed to make namespaces.
    if (process.getuid?.() !== 0 || spawnSync('unshare', ['--mount', 'true']).status !== 0) {
      skipBecause(this, 'building an image needs root and namespaces of its own');
    }
    builder = makeImageBuilder(toolOrSkip(this, 'buildah'));
    configuration = builder.build({ VERSION: '3.4.0', REVISION: 'abc' });
    root = builder.mount();
  });
  after(() => builder?.remove());

  verifies('IMG-02', 'is built over bases of the builder’s own, and pins those that it takes else', () => {
    const defaults = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8').match(
      /^ARG (?:BUILD_)?BASE=\S+@sha256:[0-9a-f]{64}$/gm,
    );
    expect(defaults).to.have.length(2);
    expect(existsSync(join(root, 'usr', 'local', 'bin', 'node'))).to.equal(true);
  });

  verifies('IMG-01', 'has Node.js and the installed package, and nothing that made it', () => {
    expect(readdirSync(join(root, 'usr', 'local', 'lib', 'node_modules'))).to.deep.equal(['test-idp']);
    for (const absent of [
      'usr/local/bin/npm',
      'usr/local/bin/npx',
      'checkout',
      'installed',
      'root/.npm',
      '.npm',
      'builder-ca.pem',
    ]) {
      expect(existsSync(join(root, absent)), absent).to.equal(false);
    }
  });

  verifies(['IMG-07', 'IMG-08'], 'is configured as it promises', () => {
    expect(configuration).to.deep.include({ User: '65532:65532', Entrypoint: ['test-idp'] });
    expect(configuration.Cmd[0]).to.equal('start');
    expect(configuration.Healthcheck?.Test).to.deep.equal(['CMD', 'test-idp', 'health']);
    expect(Object.keys(configuration.ExposedPorts)).to.deep.equal(['8000/tcp']);
    const prefix = 'org.opencontainers.image.';
    const labels = ['source', 'documentation', 'licenses', 'version', 'revision'];
    expect(configuration.Labels).to.include.all.keys(labels.map((name) => prefix + name));
    expect(configuration.Labels).to.include({ [`${prefix}version`]: '3.4.0', [`${prefix}revision`]: 'abc' });
    for (const tool of ['curl', 'wget']) expect(existsSync(join(root, 'usr', 'bin', tool))).to.equal(false);
  });

  verifies('IMG-10', 'is hardly larger than base and package together', () => {
    const { base, image } = builder?.sizes() ?? { base: Number.NaN, image: Number.NaN };
    expect(image).to.be.at.most(1.35 * base);
  });

  /** As an engine would with `--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges`. */
  function inContainer(user: string, ...command: readonly string[]): ChildProcess {
    const script = [
      'mount --bind "$0" "$0"',
      'mount -o remount,bind,ro "$0"',
      'mount -t tmpfs tmpfs "$0/tmp"',
      'mount -t proc proc "$0/proc"',
      'mount -t tmpfs -o mode=755 tmpfs "$0/dev"',
      'for name in null urandom random; do touch "$0/dev/$name"; mount --bind "/dev/$name" "$0/dev/$name"; done',
      'user=$1; shift',
      'exec setpriv --no-new-privs chroot --userspec="$user" "$0" "$@"',
    ];
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
    return spawn(
      'unshare',
      ['--mount', '--ipc', '--kill-child', 'sh', '-ec', script.join('\n'), root, user, ...command],
      { env },
    );
  }

  for (const user of [65_532, 1_234_567]) {
    it(`answers as user ${user} on a read-only root, and ends within the grace of an engine`, async () => {
      const child = inContainer(
        `${user}:${user}`,
        ...configuration.Entrypoint,
        ...configuration.Cmd,
        '--port',
        '0',
        '--ready-json',
      );
      let log = '';
      child.stderr?.on('data', (chunk: Buffer) => {
        log += chunk.toString('utf8');
      });
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const ended = exited.then((code) => {
        throw new Error(`it ended with ${code}: ${log}`);
      });
      ended.catch(() => {});
      if (child.stdout === null) throw new Error('standard output is not piped');
      const lines = createInterface({ input: child.stdout });
      const ready = JSON.parse(
        await Promise.race([new Promise<string>((resolve) => lines.once('line', resolve)), ended]),
      );
      const base: string = ready.base_url;
      const form = { grant_type: 'client_credentials' };
      const answer = await postForm(`${base}/token`, form, { Authorization: basic('demo-client', 'demo-secret') });
      expect(claimsOf((await answer.json()).access_token)).to.include({ iss: base });
      expect(await (await fetch(`${base}/saml/metadata`)).text()).to.include(`${base}/saml/sso`);
      const health = inContainer(`${user}:${user}`, 'test-idp', 'health', '--url', base);
      expect(await new Promise((resolve) => health.once('exit', resolve))).to.equal(0);

      const began = performance.now();
      process.kill(ready.pid, 'SIGTERM');
      expect(await exited).to.equal(0);
      expect(performance.now() - began).to.be.lessThan(10_000);
    });
  }

  it('explains itself', () => {
    expect(spawnSync('chroot', [root, 'test-idp', '--version'], { encoding: 'utf8' }).stdout).to.equal('3.4.0\n');
  });

  verifies('IMG-19', 'comes with a page that says what is not tested', () => {
    const page = readFileSync(join(repositoryRoot, 'docs', 'container.md'), 'utf8');
    const [, untested = ''] = page.split('## Not tested here');
    for (const what of ['arm64', 'registry', 'networking', 'admission controller']) expect(untested).to.include(what);
  });
});
