// The clock of the running server (TIM-31), as in /api/clock. These tools do not change the copy of the configuration.
import * as z from 'zod';
import { clockMoveMembers, readClockMove } from '#shared/engine/clock/clock-move-model.ts';
import { moveClock } from '#shared/engine/clock/move-clock.ts';
import { type ClockMove, describeClock } from '#shared/model/domain/movable-clock.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { successOutput } from '../common-models.ts';
import { defineTool, inForce, requireServer, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { toolFailure } from '../tool-failure.ts';

const clockOutput = {
  ...successOutput,
  now: z.string().optional(),
  real_now: z.string().optional(),
  offset_seconds: z.number().optional(),
  frozen: z.boolean().optional(),
  moved: z.boolean().optional(),
};

const getClock = defineTool({
  name: 'get_clock',
  title: 'Read the clock',
  description:
    'Answers what time it is for the running server: now, how far that is from real time, and whether it stands. Tokens, codes, sessions and SAML conditions go by this clock.',
  takesSandbox: true,
  arguments: {},
  output: clockOutput,
  handle(_args, context) {
    requireServer(context);
    const { clock } = context;
    return { success: true, ...describeClock(clock.state, clock.real()) };
  },
});

/**
 * Advertised with their plain types. Moving the clock checks that an instant exists and that a number is not too
 * precise.
 */
const moveArguments = {
  offset_seconds: z
    .number('must be a number')
    .optional()
    .meta(clockMoveMembers.offset_seconds.meta() ?? {}),
  advance_seconds: z
    .number('must be a number')
    .optional()
    .meta(clockMoveMembers.advance_seconds.meta() ?? {}),
  at: z
    .string('must be a string')
    .optional()
    .meta(clockMoveMembers.at.meta() ?? {}),
  frozen: clockMoveMembers.frozen,
};

const setClock = defineTool({
  name: 'set_clock',
  title: 'Move the clock',
  description:
    'Moves the clock of the running server, so that a test needs no waiting: advance_seconds past the end of a token, at for an instant, offset_seconds for a distance to real time, frozen to let it stand. Give one of the three at most. In force at once in all processes; reset_clock returns to real time.',
  mutating: true,
  refusesUnknown: true,
  takesSandbox: true,
  arguments: moveArguments,
  output: clockOutput,
  async handle(args, context) {
    const clockMove = readClockMove(args);
    if (typeof clockMove === 'string') throw toolFailure(managementRefusals.clock_move_invalid, { problem: clockMove });
    return move(clockMove, 'set_clock', context);
  },
});

const resetClock = defineTool({
  name: 'reset_clock',
  title: 'Return the clock to real time',
  description:
    'Lets the clock of the running server run with real time again. What expired while the clock was moved stays expired. A token is valid again if its own exp is in the future.',
  mutating: true,
  refusesUnknown: true,
  idempotent: true,
  takesSandbox: true,
  arguments: {},
  output: clockOutput,
  handle: (_args, context) => move({ to: { by: 'reset' } }, 'reset_clock', context),
});

export const clockTools: readonly Tool[] = [getClock, setClock, resetClock];

async function move(clockMove: ClockMove, tool: string, context: ToolContext): Promise<ToolResult> {
  requireServer(context);
  const who = { username: 'mcp', endpoint: `mcp:${tool}`, method: 'MCP' };
  const moved = await moveClock(clockMove, who, { ...context, snapshot: inForce(context) });
  if (moved === 'out_of_range') throw toolFailure(managementRefusals.clock_out_of_range);
  return { success: true, ...moved.description };
}
