// The clock, the faults, the audit and what was recorded of an instance, as members of it: thin clients of the REST API.
import { isMapping } from '#shared/base/untrusted-values.ts';
import { momentText, objectGiven } from './arguments.ts';
import { durationSeconds } from './duration.ts';
import { IdpError, IdpRequestError } from './errors.ts';
import { onlyParametersOf } from './operation-calls.ts';
import { operations } from './operations.ts';
import type { Expectation, FaultName, FaultOrder, Idp, IdpApi } from './types.ts';

type Steering = Pick<Idp, 'clock' | 'faults' | 'audit' | 'flows' | 'expect' | 'verdict'>;

export function steering(calls: IdpApi): Steering {
  return {
    clock: {
      read: () => calls.showClock(),
      advance: async (by) => calls.moveClock({ body: { advance_seconds: durationSeconds('advance', by) } }),
      set: async (moment) => calls.moveClock({ body: { at: momentText(moment) } }),
      freeze: async (moment) =>
        calls.moveClock({ body: { frozen: true, ...(moment === undefined ? {} : { at: momentText(moment) }) } }),
      reset: () => calls.resetClock(),
    },
    faults: {
      add: async (fault) => calls.createFault({ body: orderOf(fault) }),
      list: async () => (await calls.listFaults()).faults,
      async clear(id) {
        if (id === undefined) return (await calls.deleteFaults()).deleted;
        await calls.deleteFault({ id });
        return 1;
      },
    },
    async audit(filter = {}) {
      const { status, ...selected } = objectGiven('audit', filter);
      const { entries } = await calls.readAudit({
        limit: -1,
        ...onlyParametersOf(operations.readAudit, 'audit', selected),
      });
      // AUD-04 names the filters of the REST API, and this one is none of them.
      return status === undefined ? entries : entries.filter((entry) => entry.status === status);
    },
    async flows(filter = {}) {
      const selected = onlyParametersOf(operations.listFlows, 'flows', objectGiven('flows', filter));
      return (await calls.listFlows(selected)).flows;
    },
    expect: async (expectation) =>
      calls.expectExchange({ body: objectGiven<Expectation>('expect', expectation) }).catch(sayWhatCame),
    async verdict(subject) {
      const selected = onlyParametersOf(operations.showVerdict, 'verdict', objectGiven('verdict', subject));
      const answer = await calls.showVerdict(selected);
      if (typeof answer === 'object' && !('verdicts' in answer)) return answer;
      throw new IdpError('invalid_option', 'verdict() requires exactly one of client_id, sp and flow.');
    },
  };
}

/** Where no compiler looked, what it names is for the server to judge, which knows the catalogue and says what is wrong. */
function orderOf(fault: FaultName | FaultOrder): FaultOrder {
  return typeof fault === 'string' ? { fault } : objectGiven<FaultOrder>('faults.add', fault);
}

/** A test that fails shows the message alone, and the answer to an expectation that did not hold has no sentence. */
function sayWhatCame(error: unknown): never {
  if (!(error instanceof IdpRequestError) || error.kind !== 'not_held' || !isMapping(error.body)) throw error;
  const { expected, count } = error.body;
  throw new IdpRequestError('not_held', `Expected ${expected}, but received ${count}.`, error);
}
