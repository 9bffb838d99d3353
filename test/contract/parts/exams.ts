// Exams that are under way: one of a subject at a time, until they end or are over (EXM-08, EXM-10).
import { expect } from 'chai';
import type { Instant } from '#shared/base/clock.ts';
import type { Exam } from '#shared/model/domain/exam.ts';
import { realTime } from '#shared/model/domain/movable-clock.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, type StoreUnderTest } from '../store-under-test.ts';

export function exam(id: string, heldUntil: Instant, given: Partial<Exam> = {}): Exam {
  const subject = { kind: 'client', name: 'web' } as const;
  return { id, subject, username: `user-of-${id}`, clock: undefined, begunAt: at(0), heldUntil, ...given };
}

export function describeExams(under: () => StoreUnderTest): void {
  describe('exams', () => {
    verifies('EXM-10', 'of one subject there is one at a time, whoever begins it', async () => {
      const { exams } = under().store;
      const begun = await Promise.all(['a', 'b', 'c'].map((id) => exams.begin(exam(id, at(10)), at(0))));
      expect(begun.filter((each) => each === 'begun')).to.have.length(1);
      const [running] = await exams.list(at(0));
      expect(begun.filter((each) => each !== 'begun')).to.deep.equal([running, running]);
      const other = exam('d', at(10), { subject: { kind: 'service_provider', name: 'web' } });
      expect(await exams.begin(other, at(0))).to.equal('begun');
      expect((await exams.list(at(9))).map(({ id }) => id)).to.deep.equal([running?.id, 'd']);
    });

    verifies('EXM-10', 'no two move the clock', async () => {
      const { exams } = under().store;
      const moving = (id: string, name: string) =>
        exam(id, at(10), { clock: { ...realTime, frozenAt: at(5) }, subject: { kind: 'client', name } });
      expect(await exams.begin(moving('a', 'web'), at(0))).to.equal('begun');
      expect(await exams.begin(moving('b', 'spa'), at(0))).to.deep.equal(moving('a', 'web'));
    });

    verifies('EXM-08', 'are over when nobody renewed them, and are kept until they have ended', async () => {
      const { exams } = under().store;
      await exams.begin(exam('a', at(10)), at(0));
      expect(await exams.renew('a', at(9), at(20))).to.deep.equal(exam('a', at(20)));
      expect(await exams.namespacesWithOver(at(19))).to.deep.equal([]);
      expect(await exams.expired(at(19))).to.deep.equal([]);
      expect(await exams.renew('a', at(20), at(30))).to.equal(undefined);
      expect(await exams.list(at(20))).to.deep.equal([]);
      expect(await exams.namespacesWithOver(at(20))).to.deep.equal(['default']);
      expect(await exams.begin(exam('b', at(40)), at(20))).to.equal('begun');
      expect(await exams.expired(at(20))).to.deep.equal([exam('a', at(20))]);
      expect(await exams.find('a')).to.deep.equal(exam('a', at(20)));
      expect((await Promise.all([1, 2].map(() => exams.end('a')))).toSorted()).to.deep.equal([false, true]);
      expect(await exams.namespacesWithOver(at(20))).to.deep.equal([]);
      expect(await exams.find('a')).to.equal(undefined);
    });

    it('are bounded in number', async () => {
      const { exams } = under().store;
      const one = (number: number) =>
        exams.begin(exam(`e${number}`, at(10), { subject: { kind: 'client', name: `c${number}` } }), at(0));
      for (let number = 0; number < 100; number += 1) expect(await one(number)).to.equal('begun');
      expect(await one(100)).to.equal('limit');
    });
  });
}
