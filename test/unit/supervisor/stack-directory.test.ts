import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextTick } from 'node:process';
import { mock } from 'node:test';
import { expect } from 'chai';
import { chooseBase, makeStackDirectory } from '#supervisor/stack-directory.ts';

describe('the place of a stack directory', () => {
  const mebibytes = (count: number) => count * 1024 * 1024;
  const chosen = (memory: number, disk: number) =>
    chooseBase(['/dev/shm', '/tmp'], (base) => mebibytes(base === '/tmp' ? disk : memory));

  it('is memory while there is room in it, and else the disk', () => {
    expect(chosen(256, 1000)).to.equal('/dev/shm');
    expect(chosen(255, 1000)).to.equal('/tmp');
    expect(chosen(0, 1000)).to.equal('/tmp');
  });

  it('is short enough for the path of a Unix socket, which has 104 bytes', () => {
    const long = `/${'d'.repeat(65)}`;
    const roomy = () => mebibytes(1000);
    expect(chooseBase([long, '/tmp'], roomy)).to.equal(long);
    expect(chooseBase([`${long}d`, '/tmp'], roomy)).to.equal('/tmp');
    expect(chooseBase([`/${'é'.repeat(40)}`, '/tmp'], roomy)).to.equal('/tmp');
    expect(
      chooseBase(['/dev/shm', `${long}d`], () => 0),
      'none has room',
    ).to.equal('/dev/shm');
  });

  it('that cannot be used is refused in one line with the remedy', async () => {
    const refusal = async (base: string) => {
      try {
        return await makeStackDirectory([base]);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    expect(await refusal('/nonexistent')).to.equal(
      'the private directory of the stack cannot be created in /nonexistent (ENOENT). Set TMPDIR to another directory',
    );
    expect(await refusal(`/${'d'.repeat(80)}`)).to.contain(
      '(its path is longer than 66 bytes). Set TMPDIR to another directory',
    );
  });

  it('does not keep a directory that cannot be marked as used', async () => {
    const base = mkdtempSync(join(tmpdir(), 'stack-'));
    const listen = mock.method(Server.prototype, 'listen', function (this: Server) {
      nextTick(() => this.emit('error', new Error('too many open files')));
      return this;
    });
    try {
      const refused: unknown = await makeStackDirectory([base]).catch((error: unknown) => error);
      expect(String(refused)).to.contain('too many open files');
      expect(readdirSync(base)).to.deep.equal([]);
    } finally {
      listen.mock.restore();
      rmSync(base, { recursive: true, force: true });
    }
  });

  it('is the disk where neither has room, which then says that it is full', () => {
    expect(chosen(0, 0)).to.equal('/tmp');
    expect(chooseBase(['/tmp'], () => 0)).to.equal('/tmp');
  });
});
