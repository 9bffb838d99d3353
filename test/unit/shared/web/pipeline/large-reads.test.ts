import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { ClientGoneError } from '#shared/web/pipeline/incoming-request.ts';
import { LargeReads, LargeReadsBusyError } from '#shared/web/pipeline/large-reads.ts';

/** The part of a response that the limit uses. */
function response(): ServerResponse & { leave(): void } {
  const emitter = new EventEmitter();
  const leave = () => {
    Object.assign(emitter, { closed: true });
    emitter.emit('close');
  };
  return Object.assign(emitter, { closed: false, leave }) as unknown as ServerResponse & { leave(): void };
}

describe('large responses', () => {
  it('are limited in number, and the next begins in order when one is sent', async () => {
    const reads = new LargeReads({ largeReadsMax: 2, waitMillisecondsMax: 60_000 });
    const [first, second, third, fourth, fifth] = [response(), response(), response(), response(), response()];
    await Promise.all([reads.admit(first), reads.admit(second)]);
    const begun: string[] = [];
    const waiting = [
      reads.admit(third).then(() => begun.push('third')),
      reads.admit(fourth).catch((error: unknown) => begun.push(error instanceof ClientGoneError ? 'left' : 'failed')),
      reads.admit(fifth).then(() => begun.push('fifth')),
    ];
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).to.deep.equal([]);
    fourth.leave();
    await waiting[1];
    second.leave();
    await waiting[0];
    expect(begun).to.deep.equal(['left', 'third']);
    first.leave();
    await waiting[2];
    third.leave();
    fifth.leave();
    await Promise.all([reads.admit(response()), reads.admit(response())]);
  });

  it('wait as long as other responses complete, however long that takes in total', async () => {
    const reads = new LargeReads({ largeReadsMax: 1, waitMillisecondsMax: 1_000 });
    const responses = Array.from({ length: 6 }, response);
    const began = performance.now();
    const all = Promise.all(
      responses.map(async (each) => {
        await reads.admit(each);
        setTimeout(() => each.leave(), 220);
      }),
    );
    await all;
    expect(performance.now() - began, 'the last one waited longer than the limit').to.be.above(1_000);
  });

  it('are rejected if no client reads in time, which costs no place', async () => {
    const reads = new LargeReads({ largeReadsMax: 1, waitMillisecondsMax: 1 });
    const stuck = response();
    await reads.admit(stuck);
    const failure = await reads.admit(response()).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(LargeReadsBusyError);
    stuck.leave();
    const disconnected = response();
    disconnected.leave();
    await reads.admit(disconnected);
    await reads.admit(response());
  });
});
