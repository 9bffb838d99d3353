// A flow with all its details: its exchanges, one sentence on its state, and what its client did wrong even where it
// succeeded (REC-18).
import * as z from 'zod';
import { explainFlow } from '#shared/engine/recorder/explain-flow.ts';
import type { WholeFlow } from '#shared/engine/recorder/read-flow.ts';
import { exchangeModel, flowModel, shownExchange, shownFlow } from '#shared/engine/recorder/show-exchange.ts';
import { readVerdictOfFlow, type VerdictContext } from './read-verdict.ts';
import { findingModel, shownFinding } from './show-verdict.ts';

export const wholeFlowModel = flowModel
  .extend({
    exchanges: z.array(exchangeModel),
    explanation: z.string(),
    findings: z.array(findingModel).describe('Findings of the verdict on this flow, the worst first.'),
  })
  .meta({ id: 'FlowWithExchanges' });

export async function shownWholeFlow(
  { flow, exchanges }: WholeFlow,
  context: VerdictContext,
): Promise<z.output<typeof wholeFlowModel>> {
  const { findings } = await readVerdictOfFlow({ flow: flow.id }, context);
  return {
    ...shownFlow(flow),
    exchanges: exchanges.map(shownExchange),
    explanation: explainFlow(flow, exchanges),
    findings: findings.map(shownFinding),
  };
}
