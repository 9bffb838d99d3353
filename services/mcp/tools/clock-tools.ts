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
    'Returns the running server’s time, its distance to real time, and whether the clock is frozen. Tokens, codes, sessions and SAML conditions use this clock.',
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
    'Moves the running server’s clock, so that tests do not have to wait. advance_seconds moves it by a duration, at sets a time, offset_seconds sets the distance to real time (at most one of these), and frozen freezes it. Takes effect immediately in all processes. reset_clock returns to real time.',
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
    'Returns the running server’s clock to real time. What has expired stays expired, but a token is valid again if its exp is in the future.',
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
