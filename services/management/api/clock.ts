// /api/clock: reads and moves the clock of the request's namespace (TIM-01 to TIM-08).
import * as z from 'zod';
import { clockMoveMembers, readClockMove } from '#shared/engine/clock/clock-move-model.ts';
import { moveClock } from '#shared/engine/clock/move-clock.ts';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { type ParsedRequest, type ProtocolContext, requestFacts } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { type ClockMove, describeClock } from '#shared/model/domain/movable-clock.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

const clockModel = z
  .strictObject({
    now: z.iso.datetime(),
    real_now: z.iso.datetime(),
    offset_seconds: z.number().describe('Seconds ahead of real time.'),
    frozen: z.boolean(),
    moved: z.boolean().describe('Whether the clock differs from real time or is frozen.'),
  })
  .meta({ id: 'Clock' });

export const clockApiRoutes: readonly Route[] = [
  {
    path: '/api/clock',
    audience: 'api',
    methods: { GET: showClock, PUT: setClock, DELETE: resetClock },
    operations: {
      GET: { id: 'showClock', summary: 'Returns the time of the clock.', answers: { 200: clockModel } },
      PUT: {
        id: 'moveClock',
        summary: 'Moves, freezes or resumes the clock.',
        body: z.strictObject(clockMoveMembers),
        answers: { 200: clockModel },
        refusals: [
          managementRefusals.body_not_json,
          managementRefusals.clock_move_invalid,
          managementRefusals.clock_out_of_range,
        ],
      },
      DELETE: { id: 'resetClock', summary: 'Returns the clock to real time.', answers: { 200: clockModel } },
    },
  },
];

async function showClock(_request: ParsedRequest, { clock }: ProtocolContext): Promise<Reply> {
  return json(200, describeClock(clock.state, clock.real()));
}

async function setClock(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  return move(moveOf(parseJsonBody(request)), request, context);
}

async function resetClock(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  return move({ to: { by: 'reset' } }, request, context);
}

async function move(clockMove: ClockMove, request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const moved = await moveClock(clockMove, { ...requestFacts(request, context), endpoint: '/api/clock' }, context);
  if (moved === 'out_of_range') throw apiError(managementRefusals.clock_out_of_range);
  return { ...json(200, moved.description), clock: moved.state };
}

function moveOf(body: unknown): ClockMove {
  const move = readClockMove(body);
  if (typeof move === 'string') throw apiError(managementRefusals.clock_move_invalid, { problem: move });
  return move;
}
