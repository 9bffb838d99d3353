// The package as its user gets it: packed from a clean checkout by `npm pack` alone, and installed in an empty project from
// npm's configured registry.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './source-text.ts';

export interface PackedPackage {
  /** Path of the .tgz file. */
  readonly tarball: string;
  /** Its file names, without the leading `package/`, sorted. */
  readonly files: readonly string[];
  remove(): void;
}

/**
 * Packs the current working tree in a separate directory, so that `dist/` of the checkout stays unchanged. `umask`: of
 * the user who checks out and packs.
 */
export function packPackage({ umask = 0o022 }: { umask?: number } = {}): PackedPackage {
  const former = process.umask(umask);
  try {
    return packed();
  } finally {
    process.umask(former);
  }
}

function packed(): PackedPackage {
  const checkout = mkdtempSync(join(tmpdir(), 'test-idp-pack-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    mkdirSync(join(checkout, dirname(path)), { recursive: true });
    copyFileSync(join(repositoryRoot, path), join(checkout, path));
    chmodSync(join(checkout, path), 0o666 & ~process.umask());
  }
  cpSync(join(repositoryRoot, 'node_modules'), join(checkout, 'node_modules'), { recursive: true });
  npm(checkout, 'pack');
  const name = readdirSync(checkout).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack made no tarball');
  const tarball = join(checkout, name);
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  return { tarball, files: files.sort(), remove: () => rmSync(checkout, { recursive: true, force: true }) };
}

/** The text of one file of the tarball. */
export function packedFile({ tarball }: PackedPackage, path: string): string {
  return execFileSync('tar', ['-xzOf', tarball, `package/${path}`], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

export interface InstalledPackage {
  /** The project in which it is installed. Its own files are below `node_modules/`. */
  readonly project: string;
  /** The command as npm links it. */
  readonly command: string;
  remove(): void;
}

/** Installs the tarball in an empty project, without any install script unless requested. */
export function installPackage({ tarball }: PackedPackage, options: { scripts?: boolean } = {}): InstalledPackage {
  const project = mkdtempSync(join(tmpdir(), 'test-idp-installed-'));
  writeFileSync(join(project, 'package.json'), '{"name": "somebody", "private": true}');
  npm(project, 'install', ...(options.scripts === true ? [] : ['--ignore-scripts']), tarball);
  const command = join(project, 'node_modules', '.bin', 'test-idp');
  return { project, command, remove: () => rmSync(project, { recursive: true, force: true }) };
}

function npm(directory: string, ...args: readonly string[]): void {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', [...args, ...quiet], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
}
