// What a request that asks for verdicts judges by. The judging ends with the connection, and with the worker.
import { turnsBetweenSteps } from '#shared/event-loop-turns.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { apiError } from '#shared/http/route.ts';
import { recorderRefusals } from '#shared/refusals/families/recorder.ts';
import type { VerdictContext } from '#shared/verdict/read-verdict.ts';

export function judgedBy(context: RequestContext): VerdictContext {
  const { store, snapshot, clock, held } = context;
  const gone = context.gone();
  const othersTurn = turnsBetweenSteps();
  return {
    ...{ store, snapshot, now: clock.now(), realNow: clock.real() },
    async turn() {
      await othersTurn();
      gone.throwIfAborted();
      if (held.isEnding) throw apiError(recorderRefusals.verdict_cut_short);
    },
  };
}
