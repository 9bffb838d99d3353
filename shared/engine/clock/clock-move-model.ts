// The members of a request to move the clock (TIM-02 to TIM-04): the body of PUT /api/clock and the arguments of the
// tool.
import * as z from 'zod';
import { type Instant, instant } from '#shared/base/clock.ts';
import { unknownName } from '#shared/base/unknown-name.ts';
import type { ClockMove } from '#shared/model/domain/movable-clock.ts';

const seconds = () =>
  z
    .number('must be a number of seconds')
    .refine((value) => Math.abs(value) > 1e12 || Math.round(value * 1000) / 1000 === value, {
      error: 'must have at most three decimals',
    });

const dateTime = z
  .string(mustBeDateTime())
  .refine((text) => parseDateTime(text) !== undefined, { error: mustBeDateTime() });

export const clockMoveMembers = {
  offset_seconds: seconds()
    .optional()
    .meta({
      description: 'New distance to real time, in seconds. Negative: behind.',
      examples: [86_400],
    }),
  advance_seconds: seconds()
    .optional()
    .meta({
      description: 'Seconds to add to the current time. May be negative.',
      examples: [3600],
    }),
  at: dateTime.optional().meta({
    description: 'The new time: an RFC 3339 date-time with Z or offset.',
    examples: ['2030-01-01T00:00:00Z'],
  }),
  frozen: z.boolean('must be true or false').optional().meta({
    description: 'true freezes the clock, false lets it run again.',
  }),
} as const;

const moveModel = z.strictObject(clockMoveMembers);

type Members = z.output<z.ZodObject<typeof clockMoveMembers>>;

/** Parses any input. Returns a sentence with the error when it is wrong. */
export function readClockMove(body: unknown): ClockMove | string {
  const parsed = moveModel.safeParse(body);
  return parsed.success ? clockMoveOf(parsed.data) : problemOf(parsed.error.issues[0]);
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys')
    return unknownName('field', issue.keys[0] ?? '', Object.keys(clockMoveMembers));
  const member = issue?.path.map(String).join('.') ?? '';
  return member === '' ? 'The body must be a JSON object.' : `${member} ${issue?.message}`;
}

/** The requested move. Returns a sentence when nothing or two moves at once are requested (TIM-02). */
function clockMoveOf({ offset_seconds, advance_seconds, at, frozen }: Members): ClockMove | string {
  const ways = [
    offset_seconds === undefined ? [] : [{ by: 'offset', milliseconds: Math.round(offset_seconds * 1000) } as const],
    advance_seconds === undefined ? [] : [{ by: 'advance', milliseconds: Math.round(advance_seconds * 1000) } as const],
    at === undefined ? [] : [{ by: 'instant', at: instantOf(at) } as const],
  ].flat();
  if (ways.length > 1) return 'Send only one of offset_seconds, advance_seconds and at.';
  const [to] = ways;
  if (to === undefined && frozen === undefined) {
    return 'Send at least one of offset_seconds, advance_seconds, at and frozen.';
  }
  return { ...(to && { to }), ...(frozen !== undefined && { frozen }) };
}

const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/** An RFC 3339 date-time (§5.6); undefined for any other text, including a day or an hour that does not exist. */
function parseDateTime(text: string): Instant | undefined {
  const [, ...parts] = form.exec(text) ?? [];
  if (parts.length === 0) return undefined;
  const number = (index: number) => Number(parts[index] ?? 0);
  const [year, month, day, hour, minute, second] = [
    number(0),
    number(1) - 1,
    number(2),
    number(3),
    number(4),
    number(5),
  ];
  const local = new Date(0);
  local.setUTCFullYear(year, month, day);
  const isDay = local.getUTCMonth() === month && local.getUTCDate() === day;
  const [offsetHours, offsetMinutes] = [number(8), number(9)];
  if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const milliseconds = Math.floor(number(6) * 1000);
  const offset = (offsetHours * 60 + offsetMinutes) * (parts[7] === '-' ? -1 : 1);
  return instant(local.setUTCHours(hour, minute - offset, second, milliseconds));
}

function instantOf(text: string): Instant {
  const parsed = parseDateTime(text);
  if (parsed === undefined) throw new Error(mustBeDateTime());
  return parsed;
}

function mustBeDateTime(): string {
  return 'must be an RFC 3339 date-time such as 2030-01-01T00:00:00Z';
}
