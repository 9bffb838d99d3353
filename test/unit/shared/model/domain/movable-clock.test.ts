// The clock as a value: its time after each kind of move.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import {
  type ClockMove,
  type ClockState,
  earliestInstant,
  isMoved,
  latestInstant,
  movableClock,
  moveClock,
  readClock,
  realTime,
} from '#shared/model/domain/movable-clock.ts';

const real = instant(1_767_225_600_000);
const seconds = (number: number) => instant(real + number * 1000);
const running = (ahead: number): ClockState => ({ offsetMilliseconds: ahead * 1000, frozenAt: undefined });
const standing = (ahead: number): ClockState => ({ offsetMilliseconds: 0, frozenAt: seconds(ahead) });
const by = (way: 'offset' | 'advance', number: number) => ({ by: way, milliseconds: number * 1000 });

describe('a movable clock', () => {
  const cases: readonly (readonly [name: string, ClockState, ClockMove, ClockState])[] = [
    ['applies an offset to real time', running(5), { to: by('offset', 60) }, running(60)],
    ['applies an advance to its own time', running(5), { to: by('advance', 60) }, running(65)],
    ['can be moved back by an advance', running(5), { to: by('advance', -60) }, running(-55)],
    ['continues from a time that was set', running(5), { to: { by: 'instant', at: seconds(90) } }, running(90)],
    ['can be frozen at its own time', running(5), { frozen: true }, standing(5)],
    ['can be frozen at a given time', running(5), { to: by('offset', 9), frozen: true }, standing(9)],
    ['stays frozen when it is moved', standing(5), { to: by('advance', 1) }, standing(6)],
    ['applies an offset to real time while it is frozen', standing(5), { to: by('offset', 60) }, standing(60)],
    ['continues from its frozen time', standing(5), { frozen: false }, running(5)],
    ['returns to real time with a reset', standing(5), { to: { by: 'reset' } }, realTime],
  ];
  for (const [name, state, move, expected] of cases) {
    it(name, () => expect(moveClock(state, move, real)).to.deep.equal(expected));
  }

  it('can be frozen while real time continues, and otherwise runs with it', () => {
    expect(readClock(standing(5), seconds(100))).to.equal(seconds(5));
    expect(readClock(running(5), seconds(100))).to.equal(seconds(105));
  });

  it('counts as moved unless it runs with real time', () => {
    expect([realTime, running(1), standing(0)].map(isMoved)).to.deep.equal([false, true, true]);
  });

  it('stays between 2000 and 2099, inclusive', () => {
    const to = (at: number) => moveClock(realTime, { to: { by: 'instant', at: instant(at) }, frozen: true }, real);
    expect(to(earliestInstant)).to.deep.equal({ offsetMilliseconds: 0, frozenAt: earliestInstant });
    expect(to(latestInstant)).to.deep.equal({ offsetMilliseconds: 0, frozenAt: latestInstant });
    expect([to(earliestInstant - 1), to(latestInstant + 1)]).to.deep.equal(['out_of_range', 'out_of_range']);
  });

  it('reads its state each time', () => {
    let state: ClockState = standing(1);
    const clock = movableClock(() => state, { now: () => real });
    expect(clock.now()).to.equal(seconds(1));
    state = running(2);
    expect(clock.now()).to.equal(seconds(2));
  });
});
