// Pushed authorization requests. A used one stays until it expires.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { realEndOf } from '#shared/model/domain/pending-age.ts';
import {
  mayPushRequest,
  type PushedRequest,
  takePushedRequest,
  usePushedRequest,
} from '#shared/model/domain/pushed-request.ts';
import { countRow, encode, encoded, pushedRequestShape } from '../json-columns.ts';
import type { PushedRequests } from '../ports/pushed-requests.ts';
import { removeOfLargestHolder, removeStale } from '../statements/pending.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const texts = ({ purge }: Dialect) =>
  ({
    purge: purge('pushed_requests'),
    insert: command(
      `INSERT INTO pushed_requests (namespace, request_uri, client_id, used, expires_at, real_until, record)
       VALUES (@ns, @request_uri, @client_id, 0, @expires_at, @real_until, @record)`,
    ),
    countWaiting: query('SELECT count(*) AS count FROM pushed_requests WHERE namespace = @ns AND used = 0', countRow),
    removeStale: removeStale('pushed_requests'),
    removeOfCrowding: removeOfLargestHolder('pushed_requests', {
      ...{ holder: 'client_id', counted: 'used = 0', size: 'length(record)' },
    }),
    find: query(
      'SELECT record FROM pushed_requests WHERE namespace = @ns AND request_uri = @request_uri',
      z.object({ record: encoded(pushedRequestShape) }),
    ),
    update: command(
      `UPDATE pushed_requests SET used = @used, expires_at = @expires_at, real_until = @real_until, record = @record
       WHERE namespace = @ns AND request_uri = @request_uri`,
    ),
  }) satisfies StatementTexts;

export function pushedRequests({ ns, realClock, prepare, read, write }: OperationContext): PushedRequests {
  const sql = prepare(texts);

  function* find(request_uri: string, now: Instant): Work<PushedRequest | undefined> {
    const pushed = (yield* sql.find.get({ ns, request_uri }))?.record;
    return pushed !== undefined && now < pushed.expiresAt ? pushed : undefined;
  }

  const change = <Other extends string | undefined>(
    request_uri: string,
    now: Instant,
    next: (pushed?: PushedRequest) => PushedRequest | Other,
  ) =>
    write('pushed_requests', function* () {
      const pushed = yield* find(request_uri, now);
      const changed = next(pushed);
      if (typeof changed === 'object' && changed !== pushed) {
        const used = changed.usedBy === undefined ? 0 : 1;
        const expires_at = changed.expiresAt;
        const real_until = realEndOf(expires_at, now, realClock.now());
        sql.update.put({ ns, request_uri, used, expires_at, real_until, record: encode(changed) });
      }
      return changed;
    });

  return {
    push: (pushed, now) =>
      write('pushed_requests', function* () {
        sql.purge.put({ ns, now });
        const { request_uri, client_id, expiresAt: expires_at } = pushed;
        const real = realClock.now();
        const record = encode(pushed);
        while (!mayPushRequest((yield* sql.countWaiting.get({ ns }))?.count ?? 0)) {
          if ((yield* sql.removeStale.run({ ns, now, real })) > 0) continue;
          const added = record.length;
          if ((yield* sql.removeOfCrowding.run({ ns, holder: client_id, added })) === 0) return 'full';
        }
        const real_until = realEndOf(expires_at, now, real);
        sql.insert.put({ ns, request_uri, client_id, expires_at, real_until, record });
        return 'pushed';
      }),
    find: (requestUri, now) => read(() => find(requestUri, now)),
    redeem: (requestUri, bearer, now) => change(requestUri, now, (pushed) => takePushedRequest(pushed, bearer, now)),
    use: async (requestUri, usedBy, now) =>
      (await change(requestUri, now, (pushed) => usePushedRequest(pushed, usedBy, now))) !== undefined,
  };
}
