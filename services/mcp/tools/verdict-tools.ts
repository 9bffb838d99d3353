// The mistakes of clients, as in /api/verdict (VER-12).
import * as z from 'zod';
import { turnsBetweenSteps } from '#shared/base/scheduling/event-loop-turns.ts';
import { oneAtATime } from '#shared/base/scheduling/one-at-a-time.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { numberIn } from '#shared/engine/recorder/show-exchange.ts';
import { isAboutOne, readVerdicts } from '#shared/engine/verdict/read-verdict.ts';
import { shownVerdict } from '#shared/engine/verdict/show-verdict.ts';
import { recorderRefusals } from '#shared/model/refusals/families/recorder.ts';
import { defineTool, inForce, requireServer, type Tool } from '../tool.ts';
import { toolFailure } from '../tool-failure.ts';
import { recorderFailure } from './recorder-tools.ts';

const anyObject = z.record(z.string(), z.unknown());
const text = z.string('must be a string').optional();

const getVerdict = defineTool({
  name: 'get_verdict',
  takesSandbox: true,
  title: 'Judge a client',
  description:
    'Returns a client’s mistakes, even in requests that succeeded: findings with the paragraph of the standard, evidence (ids of exchanges) and remedy. Without client_id, sp and flow, judges each client (verdicts).',
  arguments: {
    client_id: text.meta({ description: 'Only this client.' }),
    sp: text.meta({ description: 'Only this SAML Issuer.' }),
    flow: text.meta({ description: 'Only this flow, such as `f12`.' }),
    after: text.meta({ description: 'A cursor. Judges only exchanges recorded later.' }),
  },
  output: {
    subject: anyObject.optional(),
    status: z.string().optional(),
    findings: z.array(anyObject).optional(),
    clean: z.array(z.string()).optional(),
    not_observed: z.array(z.string()).optional(),
    exchanges: z.int().optional(),
    verdicts: z.array(anyObject).optional(),
  },
  outputHasOneOf: ['subject', 'verdicts'],
  async handle({ client_id, sp, flow, after }, context) {
    requireServer(context);
    const { store, clock } = context;
    const question = {
      clientId: client_id,
      sp,
      flow: numbered(flow, 'flow', 'f'),
      after: numbered(after, 'after', ''),
    };
    const snapshot = inForce(context);
    if (!isRecorderOn({ store, snapshot })) throw recorderFailure('recorder_off');
    const times = { now: clock.now(), realNow: clock.real() };
    const othersTurn = turnsBetweenSteps();
    const turn = async () => {
      await othersTurn();
      context.disconnected.throwIfAborted();
    };
    const judgedBy = { store, snapshot, ...times, turn };
    const verdicts = await oneAtATime(() => readVerdicts(question, judgedBy));
    const [first, ...others] = verdicts.map(shownVerdict);
    if (isAboutOne(question) && first !== undefined) return { ...first };
    return { verdicts: first === undefined ? [] : [first, ...others] };
  },
});

export const verdictTools: readonly Tool[] = [getVerdict];

function numbered(sent: string | undefined, name: string, prefix: 'f' | ''): number | undefined {
  const number = sent === undefined ? undefined : numberIn(sent, prefix);
  if (sent === undefined || number !== undefined) return number;
  const problem = `${name} must be ${prefix === 'f' ? 'the id of a flow' : 'a cursor'}`;
  throw toolFailure(recorderRefusals.recorder_request_invalid, { problem });
}
