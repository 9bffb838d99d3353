import { expect } from 'chai';
import { chooseBase } from '#supervisor/stack-directory.ts';

describe('the place of a stack directory', () => {
  const mebibytes = (count: number) => count * 1024 * 1024;
  const chosen = (memory: number, disk: number) =>
    chooseBase(['/dev/shm', '/tmp'], (base) => mebibytes(base === '/tmp' ? disk : memory));

  it('is memory while there is room in it, and else the disk', () => {
    expect(chosen(32, 1000)).to.equal('/dev/shm');
    expect(chosen(31.9, 1000)).to.equal('/tmp');
    expect(chosen(0, 1000)).to.equal('/tmp');
  });

  it('is the disk where neither has room, which then says that it is full', () => {
    expect(chosen(0, 0)).to.equal('/tmp');
    expect(chooseBase(['/tmp'], () => 0)).to.equal('/tmp');
  });
});
