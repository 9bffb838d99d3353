// The context in which a request judges verdicts. The judging stops when the connection closes or the worker drains.
import { turnsBetweenSteps } from '#shared/base/scheduling/event-loop-turns.ts';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import { apiError } from '#shared/engine/exchange/route.ts';
import type { VerdictContext } from '#shared/engine/verdict/read-verdict.ts';
import { recorderRefusals } from '#shared/model/refusals/families/recorder.ts';

export function judgedBy(context: ManagementContext): VerdictContext {
  const { store, snapshot, clock, held } = context;
  const gone = context.disconnected();
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
