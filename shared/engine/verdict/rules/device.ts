// How a device polls (VER-K24, VER-K25).
import { slowDownSeconds } from '#shared/model/domain/device-grant.ts';
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { deviceCodeGrantType } from '#shared/model/oauth-rules/grants.ts';
import { rfc } from '#shared/model/refusals/references.ts';
import { answered, type ClientHistory, ofEndpoints, parameter, tokenRequests } from '../client-history.ts';
import type { Occasion, VerdictRule } from '../verdict-rule.ts';

const usualIntervalSeconds = 5;
/** Timers and networks are not more precise. */
const toleratedSeconds = 0.25;

const ends: ReadonlySet<unknown> = new Set(['access_denied', 'expired_token']);

export const deviceRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K24',
    id: 'poll_too_fast',
    severity: 'error',
    title: 'Device polls too fast',
    standard: rfc(8628, '3.5'),
    remedy: `Wait interval seconds between two polls (default ${usualIntervalSeconds}), and ${slowDownSeconds} more after each slow_down.`,
    occasions: (history) => {
      const intervals = intervalsOf(history);
      return polls(history).flatMap((all) => {
        const announced = intervals.get(codeOf(all[0]) ?? '');
        let slowedDown = 0;
        return all.slice(1).flatMap((at, index): Occasion[] => {
          const before = all[index] ?? at;
          if (answered(before, 'error') === 'slow_down') slowedDown += slowDownSeconds;
          const interval = announced === undefined ? undefined : announced + slowedDown;
          const seconds = secondsBetween(before, at);
          const isSlowedDown = answered(at, 'error') === 'slow_down' && isClockGoing(before, at);
          // The interval for this device is unknown.
          if (interval === undefined && !isSlowedDown) return [];
          const isTooFast = isSlowedDown || (interval !== undefined && seconds < interval - toleratedSeconds);
          const why = interval === undefined ? 'The response was slow_down' : `The interval is ${interval} s`;
          const detail = `A poll came ${seconds.toFixed(1)} s after the previous one. ${why}.`;
          return [{ at, breach: isTooFast ? { detail, beside: [before] } : undefined }];
        });
      });
    },
  },
  {
    clause: 'VER-K25',
    id: 'poll_after_end',
    severity: 'error',
    title: 'Device polls after a final error',
    standard: rfc(8628, '3.5'),
    remedy: 'Stop at access_denied and expired_token. Request a new device code if the user wants to try again.',
    occasions: (history) =>
      polls(history).flatMap((all) => {
        const end = all.find((poll) => ends.has(answered(poll, 'error')));
        if (end === undefined) return [];
        const error = answered(end, 'error') ?? '';
        const further = all.filter(({ id }) => id > end.id);
        const breach = { detail: `The device polled again after ${error}.`, beside: [end] };
        return further.length === 0 ? [{ at: end }] : further.map((at): Occasion => ({ at, breach }));
      }),
  },
];

/** By real time or by the tester's clock, whichever gives the longer time. */
function secondsBetween(before: KeptExchange, at: KeptExchange): number {
  return Math.max(at.at - before.at, at.clock - before.clock) / 1000;
}

/** While the tester's clock is frozen or moved, even a device that waits as required gets slow_down (TIM-15). */
function isClockGoing(before: KeptExchange, at: KeptExchange): boolean {
  return Math.abs(at.at - before.at - (at.clock - before.clock)) <= toleratedSeconds * 1000;
}

/** The intervals in seconds, by device code, as sent to the device. */
function intervalsOf(history: ClientHistory): ReadonlyMap<string, number> {
  const intervals = new Map<string, number>();
  for (const exchange of ofEndpoints('device_authorization')(history)) {
    const [code, { interval }] = [answered(exchange, 'device_code'), exchange.content.answer];
    if (code !== undefined) intervals.set(code, typeof interval === 'number' ? interval : usualIntervalSeconds);
  }
  return intervals;
}

function codeOf(poll: KeptExchange | undefined): string | undefined {
  return poll?.grantType === deviceCodeGrantType ? parameter(poll, 'device_code') : undefined;
}

/** The polls for each device code, in order. */
function polls(history: ClientHistory): readonly (readonly KeptExchange[])[] {
  const ofCode = new Map<string, KeptExchange[]>();
  for (const poll of tokenRequests(history)) {
    const code = codeOf(poll);
    if (code !== undefined) ofCode.set(code, [...(ofCode.get(code) ?? []), poll]);
  }
  return [...ofCode.values()];
}
