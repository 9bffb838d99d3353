// Builds the complete Dockerfile without a container engine: Debian's buildah with chroot isolation, over a base of Debian
// packages and the installed Node.js (IMG-16). Needs root, Debian's archive and npm's registry.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeRelease } from './node-releases.ts';
import { repositoryRoot } from './source-text.ts';

/** What a shell, tar and Node.js need to run. */
const packages =
  'libc6 libstdc++6 libgcc-s1 libatomic1 coreutils dash libacl1 libattr1 libselinux1 libpcre2-8-0 libgmp10 tar';

export interface ImageBuilder {
  /** Builds the image and returns its configuration. */
  build(buildArguments: Readonly<Record<string, string>>): ImageConfiguration;
  /** Path of the image's root file system. */
  mount(): string;
  /** Size of the base and of the image, in bytes. */
  sizes(): { readonly base: number; readonly image: number };
  remove(): void;
}

export interface ImageConfiguration {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env?: readonly string[];
  readonly Healthcheck?: { readonly Test: readonly string[] };
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Labels: Readonly<Record<string, string>>;
}

export function makeImageBuilder(buildah: string): ImageBuilder {
  const folder = mkdtempSync(join(tmpdir(), 'test-idp-image-'));
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  const run = (...args: readonly string[]) =>
    execFileSync(buildah, [...storage, ...args], {
      cwd: repositoryRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const rootFiles = join(folder, 'base');
  let container: string | undefined;
  makeBase(rootFiles, folder);
  commit(
    'scratch',
    'localhost/base',
    [[rootFiles, '/']],
    ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
  );
  // The builder must provide what npm needs to trust and find its registry.
  const authority = process.env.NODE_EXTRA_CA_CERTS;
  const trusts: [string, string][] = authority === undefined ? [] : [[authority, '/builder-ca.pem']];
  commit(
    'localhost/base',
    'localhost/builder',
    trusts,
    authority === undefined ? [] : ['NODE_EXTRA_CA_CERTS=/builder-ca.pem'],
  );

  function commit(
    from: string,
    name: string,
    files: readonly [string, string][],
    environment: readonly string[],
  ): void {
    const made = run('from', from).trim();
    for (const [source, target] of files) run('copy', '-q', made, source, target);
    for (const variable of environment) run('config', '--env', variable, made);
    run('commit', '-q', made, name);
    run('rm', made);
  }

  return {
    build(given) {
      const npmrc = execFileSync('npm', ['config', 'get', 'userconfig', '--loglevel=error'], {
        encoding: 'utf8',
      }).trim();
      const volumes = [
        ['/etc/resolv.conf', '/etc/resolv.conf'],
        ...(existsSync(npmrc) ? [[npmrc, '/root/.npmrc']] : []),
      ];
      const all = { BASE: 'localhost/base', BUILD_BASE: 'localhost/builder', ...given };
      run(
        ...['build', '--isolation', 'chroot', '--format', 'docker', '--tag', 'localhost/test-idp'],
        ...volumes.flatMap(([source, target]) => ['--volume', `${source}:${target}:ro`]),
        ...Object.entries(all).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        '.',
      );
      return JSON.parse(run('inspect', '--type', 'image', 'localhost/test-idp')).Docker.config;
    },
    mount() {
      container = run('from', 'localhost/test-idp').trim();
      return run('mount', container).trim();
    },
    sizes() {
      const images: readonly { readonly names?: readonly string[]; readonly size: string }[] = JSON.parse(
        run('images', '--json'),
      );
      const sizeOf = (name: string) => megabytes(images.find(({ names }) => names?.includes(`${name}:latest`))?.size);
      return { base: sizeOf('localhost/base'), image: sizeOf('localhost/test-idp') };
    },
    remove() {
      if (container !== undefined) run('umount', container);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Parses `218 MB` as buildah prints it. */
function megabytes(text = ''): number {
  const [, number, unit = ''] = /^([\d.]+) (\w+)$/.exec(text) ?? [];
  return Number(number) * ({ KB: 1e3, MB: 1e6, GB: 1e9 }[unit] ?? Number.NaN);
}

function makeBase(root: string, folder: string): void {
  const archives = join(folder, 'debian');
  mkdirSync(archives);
  execFileSync('apt-get', ['download', '-qq', ...packages.split(' ')], { cwd: archives, stdio: 'ignore' });
  for (const name of [
    'bin',
    'lib',
    'tmp',
    'etc',
    'proc',
    'dev',
    'root',
    'usr/local/bin',
    'usr/local/lib/node_modules',
  ]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  for (const archive of readdirSync(archives)) execFileSync('dpkg', ['-x', join(archives, archive), root]);
  if (!existsSync(join(root, 'bin', 'sh'))) symlinkSync('dash', join(root, 'bin', 'sh'));
  cpSync(nodeRelease('24.21.0'), join(root, 'usr', 'local', 'bin', 'node'));
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  cpSync(npm, join(root, 'usr', 'local', 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const [command, file] of Object.entries({ npm: 'npm-cli.js', npx: 'npx-cli.js' })) {
    symlinkSync(`../lib/node_modules/npm/bin/${file}`, join(root, 'usr', 'local', 'bin', command));
  }
}
