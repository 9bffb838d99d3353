// The members for clock, faults, audit and recorder. They only call the REST API.
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
      // The REST API does not have this filter (AUD-04).
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

/** Without a compiler, the fault can be any value. The server checks it, because it has the catalogue. */
function orderOf(fault: FaultName | FaultOrder): FaultOrder {
  return typeof fault === 'string' ? { fault } : objectGiven<FaultOrder>('faults.add', fault);
}

/** A failed test shows only the message, and the response to a failed expectation contains no sentence. */
function sayWhatCame(error: unknown): never {
  if (!(error instanceof IdpRequestError) || error.kind !== 'not_held' || !isMapping(error.body)) throw error;
  const { expected, count } = error.body;
  throw new IdpRequestError('not_held', `Expected ${expected}, but received ${count}.`, error);
}
