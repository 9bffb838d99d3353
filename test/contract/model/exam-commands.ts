// Exams: begun, renewed, ended, and over when nobody did either.
import { expect } from 'chai';
import fc from 'fast-check';
import { realTime } from '#shared/model/domain/movable-clock.ts';
import { exam } from '../parts/exams.ts';
import { type Command, command } from './command.ts';
import type { ReferenceModel } from './reference-model.ts';

const newest = (model: ReferenceModel) => [...model.exams.keys()].at(-1) ?? 'exam-of-nobody';
const underWay = (model: ReferenceModel) => [...model.exams].filter(([, each]) => model.lives(each));

export const examCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom('web', 'spa'), fc.boolean()).map(([name, movesClock]) =>
    command(`begin an exam of ${name}${movesClock ? ' that moves the clock' : ''}`, async (model, { store }) => {
      model.begun += 1;
      const id = `exam-${model.begun}`;
      const until = model.in(60);
      const clock = movesClock ? realTime : undefined;
      const begun = await store.exams.begin(exam(id, until, { clock, subject: { kind: 'client', name } }), model.now);
      const inTheWay = underWay(model).find(
        ([, each]) => each.subject === name || (each.movesClock && movesClock),
      )?.[0];
      expect(typeof begun === 'object' ? begun.id : begun).to.equal(inTheWay ?? 'begun');
      if (inTheWay === undefined) model.exams.set(id, { until, subject: name, movesClock });
    }),
  ),
  fc.boolean().map((ends) =>
    command(`${ends ? 'end' : 'renew'} the newest exam`, async (model, { store }) => {
      const id = newest(model);
      const known = model.exams.get(id);
      expect((await store.exams.find(id))?.heldUntil).to.equal(known?.until);
      if (ends) {
        expect(await store.exams.end(id)).to.equal(model.exams.delete(id));
        return;
      }
      const until = model.in(60);
      const renewed = await store.exams.renew(id, model.now, until);
      expect(renewed?.heldUntil).to.equal(model.lives(known) ? until : undefined);
      if (model.lives(known)) model.exams.set(id, { ...known, until });
    }),
  ),
  fc.constant(
    command('look which exams are over', async (model, { store }) => {
      const over = [...model.exams].filter(([, each]) => !model.lives(each)).map(([id]) => id);
      expect((await store.exams.expired(model.now)).map(({ id }) => id)).to.deep.equal(over);
      expect((await store.exams.list(model.now)).map(({ id }) => id)).to.deep.equal(underWay(model).map(([id]) => id));
      expect(await store.exams.namespacesWithOver(model.now)).to.deep.equal(over.length > 0 ? ['default'] : []);
    }),
  ),
];
