// The recordings of the running server (REC-30): flows, one flow, and waiting for exchanges. These tools are read-only.
import * as z from 'zod';
import {
  expectationMembers,
  expectationModel,
  expectExchanges,
  type Unanswered,
} from '#shared/engine/recorder/expect-exchanges.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { readFlow, readFlows } from '#shared/engine/recorder/read-flow.ts';
import { numberIn, shownExchange, shownFlow } from '#shared/engine/recorder/show-exchange.ts';
import { shownWholeFlow } from '#shared/engine/verdict/show-flow.ts';
import { flowKinds, flowOutcomes } from '#shared/model/domain/flow.ts';
import { recorderRefusals } from '#shared/model/refusals/families/recorder.ts';
import { defineTool, inForce, requireServer, type Tool } from '../tool.ts';
import { type ToolFailure, toolFailure } from '../tool-failure.ts';

const anyObject = z.record(z.string(), z.unknown());
const text = z.string('must be a string').optional();

const listFlows = defineTool({
  name: 'list_flows',
  takesSandbox: true,
  title: 'Read what clients did',
  description:
    'Lists the flows, newest first. A flow is the requests of one login or grant. Each has kind, client_id, username, sp, outcome and faults.',
  arguments: {
    client_id: text.meta({ description: 'Only flows of this client.' }),
    sp: text.meta({ description: 'Only flows of this SAML Issuer.' }),
    username: text.meta({ description: 'Only flows of this user.' }),
    kind: z.enum(flowKinds).optional().meta({ description: 'Only flows of this kind.' }),
    outcome: z.enum(flowOutcomes).optional().meta({ description: 'Only flows with this outcome.' }),
    limit: z
      .int('must be a whole number')
      .min(1)
      .max(1000)
      .default(50)
      .meta({ description: 'Maximum number of flows.' }),
  },
  output: { flows: z.array(anyObject), count: z.int() },
  async handle({ client_id, limit, ...filter }, context) {
    requireServer(context);
    const flows = await readFlows(context.store.exchanges, { ...filter, clientId: client_id }, limit);
    return { flows: flows.map(shownFlow), count: flows.length };
  },
});

const getFlow = defineTool({
  name: 'get_flow',
  takesSandbox: true,
  title: 'Read one flow',
  description:
    'Returns a flow: its requests and responses in order, with fingerprints instead of secrets, and decoded tokens and SAML messages. explanation says why it was rejected. findings are those of the verdict.',
  arguments: { id: z.string('must be a string').meta({ description: 'An id from list_flows, such as `f12`.' }) },
  output: { found: z.boolean(), flow: anyObject.optional() },
  async handle({ id }, context) {
    requireServer(context);
    const number = numberIn(id, 'f');
    const { store, clock } = context;
    const flow = number === undefined ? undefined : await readFlow(store.exchanges, number);
    if (flow === undefined) return { found: false };
    const judgedBy = { store, snapshot: inForce(context), now: clock.now(), realNow: clock.real() };
    return { found: true, flow: await shownWholeFlow(flow, judgedBy) };
  },
});

const expectExchange = defineTool({
  name: 'expect_exchange',
  takesSandbox: true,
  refusesUnknown: true,
  title: 'Wait for requests',
  description:
    'Waits until count or at_least matching requests have arrived, or within_seconds have passed. Returns them.',
  arguments: expectationMembers,
  output: {
    held: z.boolean(),
    kind: z.string().optional(),
    count: z.int(),
    expected: z.string(),
    exchanges: z.array(anyObject),
    cursor: z.string(),
  },
  async handle(args, context) {
    requireServer(context);
    const reading = expectationModel.safeParse(args);
    if (!reading.success) {
      throw toolFailure(recorderRefusals.recorder_request_invalid, {
        problem: reading.error.issues[0]?.message ?? 'invalid',
      });
    }
    const fulfilment = await expectExchanges(reading.data, {
      ...{ store: context.store, stopwatch: context.stopwatch },
      realNow: () => context.clock.real(),
      isRecorderOn: () => isRecorderOn({ store: context.store, snapshot: inForce(context) }),
      wait: (milliseconds) => context.wait(milliseconds),
      disconnected: context.disconnected,
    });
    if (typeof fulfilment === 'string') throw recorderFailure(fulfilment);
    const { outcome, exchanges, cursor, ...rest } = fulfilment;
    const held = outcome === 'held';
    return {
      ...(held ? { held } : { held, kind: 'not_held' }),
      ...rest,
      exchanges: exchanges.map(shownExchange),
      cursor: String(cursor),
    };
  },
});

export const recorderTools: readonly Tool[] = [listFlows, getFlow, expectExchange];

export function recorderFailure(code: Unanswered): ToolFailure {
  return toolFailure(recorderRefusals[code]);
}
