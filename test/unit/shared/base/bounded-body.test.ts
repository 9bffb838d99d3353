import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { GrowingBuffer, readBounded } from '#shared/base/bounded-body.ts';
import { seededRandom } from '#test/support/seeded-random.ts';

const bytes = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251));

describe('a growing buffer', () => {
  it('holds what arrives in one-byte pieces in a few times its size', () => {
    const buffer = new GrowingBuffer();
    const whole = bytes(1024 * 1024);
    for (let at = 0; at < whole.length; at += 1) buffer.append(whole.subarray(at, at + 1));
    const taken = buffer.take();
    expect(taken.equals(whole)).to.equal(true);
    expect(taken.buffer.byteLength).to.be.at.most(4 * 1024 * 1024);
    expect(buffer.length).to.equal(0);
  });

  it('joins pieces of any size, and copies a single one never', () => {
    const random = seededRandom();
    const buffer = new GrowingBuffer();
    for (let round = 0; round < 50; round += 1) {
      const whole = bytes(random.integer(1, 5000));
      for (let at = 0; at < whole.length; ) {
        const end = at + random.integer(1, 900);
        buffer.append(whole.subarray(at, end));
        at = end;
      }
      expect(buffer.take().equals(whole), `SEED=${random.seed}`).to.equal(true);
    }
    const only = bytes(10);
    buffer.append(only);
    expect(buffer.take().buffer).to.equal(only.buffer);
  });

  it('leaves the pieces that it was given as they are', () => {
    const buffer = new GrowingBuffer();
    const shared = Buffer.from('abcdef');
    buffer.append(shared.subarray(0, 2));
    buffer.append(Buffer.from('XY'));
    expect([shared.toString(), buffer.take().toString()]).to.deep.equal(['abcdef', 'abXY']);
  });
});

describe('a bounded body', () => {
  const read = (pieces: readonly Buffer[], bounds: { bytesMax: number; bytesReadMax?: number }) => {
    const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
    const result = readBounded(stream, bounds);
    for (const piece of pieces) stream.write(piece);
    stream.end();
    return result.then(({ body, length, refusal }) => ({ body: body.length, length, refusal }));
  };
  const of = (count: number, length: number) => Array.from({ length: count }, () => Buffer.alloc(length, 'x'));

  it('is read up to its bound, and thrown away beyond it', async () => {
    expect(await read(of(4, 5), { bytesMax: 20 })).to.deep.equal({ body: 20, length: 20, refusal: undefined });
    const tooLarge = { body: 0, length: 25, refusal: 'too_large' };
    expect(await read(of(5, 5), { bytesMax: 20, bytesReadMax: 100 })).to.deep.equal(tooLarge);
    expect(await read(of(9, 5), { bytesMax: 20 })).to.deep.equal(tooLarge);
  });

  it('is refused at the 16,385th piece of less than 512 bytes, whatever its size', async () => {
    const bounds = { bytesMax: 16 * 1024 * 1024 };
    const most = 16_384;
    expect(await read(of(most, 1), bounds)).to.deep.equal({ body: most, length: most, refusal: undefined });
    expect((await read(of(most + 1, 1), bounds)).refusal).to.equal('in_small_pieces');
    expect((await read(of(most + 1, 511), bounds)).refusal).to.equal('in_small_pieces');
    expect((await read(of(most + 1, 512), bounds)).refusal).to.equal(undefined);
  });

  it('is an error when it breaks off', async () => {
    const stream = new PassThrough();
    const result = readBounded(stream, { bytesMax: 10 });
    stream.write('x');
    setImmediate(() => stream.destroy());
    await result.then(
      () => expect.fail('was read'),
      (error: Error) => expect(error.message).to.equal('the connection closed before the end of the body'),
    );
  });
});
