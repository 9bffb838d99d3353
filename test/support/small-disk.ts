// A small disk for a test that fills it, if the test may mount one, which needs root.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An in-memory file system of some MiB. */
export class SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), 'test-idp-disk-'));
  #isMounted = false;

  mountOrSkip(context: Mocha.Context, size = '8m'): void {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', this.path], { stdio: 'ignore' });
      this.#isMounted = true;
    } catch {
      process.stderr.write('skipped: this user may not mount a file system\n');
      context.skip();
    }
  }

  /** Uses up every block. */
  fill(): void {
    let size = 1024 * 1024;
    for (let part = 0; size >= 512; part += 1) {
      try {
        writeFileSync(join(this.path, `filler-${part}`), Buffer.alloc(size));
      } catch {
        size /= 2;
      }
    }
  }

  empty(): void {
    for (const name of readdirSync(this.path)) if (name.startsWith('filler-')) rmSync(join(this.path, name));
  }

  /**
   * A command to put in front of the program's, which makes this disk the only place for the private directory of a
   * stack.
   */
  asOnlyTemporaryPlace(): readonly string[] {
    const script = 'mount --bind "$0" /dev/shm && mount --bind "$0" /tmp && TMPDIR=/tmp exec "$@"';
    return ['unshare', '--mount', 'sh', '-c', script, this.path];
  }

  remount(mode: 'ro' | 'rw'): void {
    execFileSync('mount', ['-o', `remount,${mode}`, this.path]);
  }

  remove(): void {
    if (this.#isMounted) execFileSync('umount', [this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}
