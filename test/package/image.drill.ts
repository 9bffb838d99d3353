// The container image, completely built from the Dockerfile and run without an engine: on its own root file system,
// read-only, as its own user, without capabilities (IMG-16). This does not test pulling the default base, other
// architectures, or an engine's own network.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { skipBecause, toolOrSkip } from '#test/support/debian-programs.ts';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { type ImageBuilder, type ImageConfiguration, makeImageBuilder } from '#test/support/image-builder.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the container image', function () {
  this.timeout(600_000);
  let builder: ImageBuilder | undefined;
  let configuration: ImageConfiguration;
  let root: string;
  before(function () {
    // If the tests themselves run in a container, they may not be allowed to create namespaces.
    if (process.getuid?.() !== 0 || spawnSync('unshare', ['--mount', 'true']).status !== 0) {
      skipBecause(this, 'building an image needs root and namespaces of its own');
    }
    builder = makeImageBuilder(toolOrSkip(this, 'buildah'));
    configuration = builder.build({ VERSION: '3.4.0', REVISION: 'abc' });
    root = builder.mount();
  });
  after(() => builder?.remove());

  verifies('IMG-02', 'can be built on other bases, and pins its default bases', () => {
    const defaults = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8').match(
      /^ARG (?:BUILD_)?BASE=\S+@sha256:[0-9a-f]{64}$/gm,
    );
    expect(defaults).to.have.length(2);
    expect(existsSync(join(root, 'usr', 'local', 'bin', 'node'))).to.equal(true);
  });

  verifies('IMG-01', 'has Node.js and the installed package, and no build tools', () => {
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

  verifies(['IMG-03', 'IMG-04', 'IMG-07', 'IMG-08'], 'is configured as documented', () => {
    expect(configuration).to.deep.include({ User: '65532:65532', Entrypoint: ['test-idp'], Cmd: ['start'] });
    expect(configuration.Env).to.include.members(['IDP_DEFAULT_HOST=0.0.0.0', 'IDP_DEFAULT_MCP_PORT=8001']);
    expect(configuration.Healthcheck?.Test).to.deep.equal(['CMD', 'test-idp', 'health']);
    expect(Object.keys(configuration.ExposedPorts)).to.deep.equal(['8000/tcp', '8001/tcp']);
    const prefix = 'org.opencontainers.image.';
    const labels = ['source', 'documentation', 'licenses', 'version', 'revision'];
    expect(configuration.Labels).to.include.all.keys(labels.map((name) => prefix + name));
    expect(configuration.Labels).to.include({ [`${prefix}version`]: '3.4.0', [`${prefix}revision`]: 'abc' });
    for (const tool of ['curl', 'wget']) expect(existsSync(join(root, 'usr', 'bin', tool))).to.equal(false);
  });

  verifies('IMG-10', 'is only slightly larger than base and package together', () => {
    const { base, image } = builder?.sizes() ?? { base: Number.NaN, image: Number.NaN };
    expect(image).to.be.at.most(1.35 * base);
  });

  /**
   * As an engine does with `--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges`. `volumes` are
   * named by the path inside, and those that end in `:ro` are read-only.
   */
  function inContainer(
    user: number,
    command: readonly string[],
    volumes: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const mounts = Object.entries(volumes).map(([path, source]) => {
      const [directory = '', mode] = source.split(':');
      const mounted = `mount --bind "${directory}" "$0${path}"`;
      return mode === 'ro' ? `${mounted}; mount -o remount,bind,ro "$0${path}"` : mounted;
    });
    const script = [
      ...Object.keys(volumes).map((path) => `mkdir -p "$0${path}"`),
      'mount --bind "$0" "$0"',
      'mount -o remount,bind,ro "$0"',
      'mount -t tmpfs -o mode=1777 tmpfs "$0/tmp"',
      'mount -t proc proc "$0/proc"',
      'mount -t tmpfs -o mode=755 tmpfs "$0/dev"',
      'for name in null urandom random; do touch "$0/dev/$name"; mount --bind "/dev/$name" "$0/dev/$name"; done',
      ...mounts,
      'user=$1; shift',
      'exec setpriv --no-new-privs --bounding-set=-all,+setuid,+setgid,+sys_chroot --inh-caps=-all chroot --userspec="$user:$user" "$0" "$@"',
    ];
    const env = Object.fromEntries(
      ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...(configuration.Env ?? [])].map(
        (pair) => pair.split(/=(.*)/s, 2) as [string, string],
      ),
    );
    return spawn(
      'unshare',
      ['--mount', '--ipc', '--kill-child', 'sh', '-ec', script.join('\n'), root, String(user), ...command],
      { env },
    );
  }

  /** As an engine creates a new volume: with the owner and mode of the path in the image. */
  function newVolume(directory: string, path: string): void {
    const { uid, gid, mode } = statSync(join(root, path));
    mkdirSync(directory);
    chownSync(directory, uid, gid);
    chmodSync(directory, mode & 0o7777);
  }

  interface Running {
    readonly baseUrl: string;
    /** Sends SIGTERM to the first process, as an engine does. Returns the exit code and the milliseconds until then. */
    stop(): Promise<{ readonly code: number | null; readonly milliseconds: number }>;
  }

  async function started(user: number, volumes: Readonly<Record<string, string>> = {}): Promise<Running> {
    const { Entrypoint, Cmd } = configuration;
    const child = inContainer(user, [...Entrypoint, ...Cmd, '--port', '0', '--mcp-port', '0', '--ready-json'], volumes);
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
    // It has no capability left, and cannot get one again.
    const status = readFileSync(`/proc/${ready.pid}/status`, 'utf8');
    expect(status)
      .to.match(/^CapEff:\t0+$/m)
      .and.to.match(/^CapPrm:\t0+$/m)
      .and.to.match(/^NoNewPrivs:\t1$/m);
    expect(status).to.match(new RegExp(`^Uid:\\t${user}\\t`, 'm'));
    return {
      baseUrl: ready.base_url,
      async stop() {
        const began = performance.now();
        process.kill(ready.pid, 'SIGTERM');
        return { code: await exited, milliseconds: performance.now() - began };
      },
    };
  }

  for (const user of [65_532, 1_234_567]) {
    verifies(
      ['IMG-03', 'IMG-05', 'IMG-16', 'IMG-17'],
      `serves every protocol as user ${user} on a read-only root, and ends within an engine's grace period`,
      async () => {
        const idp = await started(user);
        const { baseUrl } = idp;
        // The image listens beyond loopback by default, so another address of this machine responds as well.
        expect((await fetch(`${baseUrl.replace('127.0.0.1', '127.0.0.2')}/health`)).status).to.equal(200);
        const form = { grant_type: 'client_credentials' };
        const answer = await postForm(`${baseUrl}/token`, form, { Authorization: basic('demo-client', 'demo-secret') });
        expect(claimsOf((await answer.json()).access_token)).to.include({ iss: baseUrl });

        const browser = new BrowserClient(baseUrl);
        const query = new URLSearchParams({
          ...{ response_type: 'code', client_id: 'demo-client', redirect_uri: 'http://127.0.0.1:3000/callback' },
          scope: 'openid',
        });
        const authorized = await browser.get(`/authorize?${query}`);
        const back = await browser.submit(authorized, { username: 'admin', password: 'admin' });
        const code = redirectParameters(back).get('code') ?? '';
        const redeemed = await postForm(
          `${baseUrl}/token`,
          { grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1:3000/callback' },
          { Authorization: basic('demo-client', 'demo-secret') },
        );
        expect(claimsOf((await redeemed.json()).id_token)).to.include({ sub: 'admin' });

        // The same browser is already logged in there.
        const page = await browser.get(`/saml/sso?${redirectQuery(authnRequest(), 'there')}`);
        const answered = await browser.submit(page, { username: 'admin', password: 'admin' });
        expect(delivered(answered).status).to.deep.equal(['Success']);

        const health = inContainer(user, ['test-idp', 'health', '--url', baseUrl]);
        expect(await new Promise((resolve) => health.once('exit', resolve))).to.equal(0);
        const { code: exitCode, milliseconds } = await idp.stop();
        expect(exitCode).to.equal(0);
        expect(milliseconds).to.be.lessThan(10_000);
      },
    );
  }

  verifies('IMG-06', 'uses /config as its configuration, even read-only, and stores its keys in /keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-idp-volumes-'));
    try {
      const [config, keys] = [join(folder, 'config'), join(folder, 'keys')];
      cpSync(join(repositoryRoot, 'config'), config, { recursive: true });
      newVolume(keys, '/keys');
      const volumes = { '/config': `${config}:ro`, '/keys': keys };
      const kids: unknown[] = [];
      for (const round of [1, 2]) {
        const idp = await started(65_532, volumes);
        expect((await (await fetch(`${idp.baseUrl}/api/users/carol`)).json()).origin, `round ${round}`).to.equal(
          'declared',
        );
        kids.push((await (await fetch(`${idp.baseUrl}/api/keys/info`)).json()).active_kid);
        expect((await idp.stop()).code).to.equal(0);
      }
      expect(kids[1]).to.equal(kids[0]);
      expect(readdirSync(keys)).not.to.deep.equal([]);
      // Only the files, and another user than the image's own.
      const place = join(folder, 'place');
      newVolume(place, '/keys');
      expect((await (await started(12_345, { '/config': `${config}:ro`, '/keys': place })).stop()).code).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has labels and documentation', () => {
    expect(spawnSync('chroot', [root, 'test-idp', '--version'], { encoding: 'utf8' }).stdout).to.equal('3.4.0\n');
  });

  verifies('IMG-19', 'has a page that says what is not tested', () => {
    const page = readFileSync(join(repositoryRoot, 'docs', 'container.md'), 'utf8');
    const [, untested = ''] = page.split('## Not tested here');
    for (const what of ['arm64', 'registry', 'networking', 'admission controller']) expect(untested).to.include(what);
  });
});
