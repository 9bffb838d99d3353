// Pushed authorization requests in PostgreSQL. One that was used stays until its time is over.
import type { Instant } from '#shared/clock.ts';
import { realEndOf } from '#shared/domain/pending-age.ts';
import {
  mayPushRequest,
  type PushedRequest,
  takePushedRequest,
  usePushedRequest,
} from '#shared/domain/pushed-request.ts';
import { encode } from '../json-columns.ts';
import type { PushedRequests } from '../ports/pushed-requests.ts';
import { pushedRequestTexts } from '../statements/pushed-requests.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import { prepared, type Runner } from './statement.ts';

const sql = prepared({
  ...pushedRequestTexts,
  purge: purgeOf('pushed_requests'),
});

export function pushedRequestsAdapter({ database, ns, realClock }: NamespaceContext): PushedRequests {
  const find = async (on: Runner, request_uri: string, now: Instant) => {
    const pushed = (await sql.find.get(on, { ns, request_uri }))?.record;
    return pushed !== undefined && now < pushed.expiresAt ? pushed : undefined;
  };
  const change = <Other extends string | undefined>(
    request_uri: string,
    now: Instant,
    next: (pushed?: PushedRequest) => PushedRequest | Other,
  ) =>
    database.write('pushed_requests', async (on) => {
      const pushed = await find(on, request_uri, now);
      const changed = next(pushed);
      if (typeof changed === 'object' && changed !== pushed) {
        const used = changed.usedBy === undefined ? 0 : 1;
        const expires_at = changed.expiresAt;
        const real_until = realEndOf(expires_at, now, realClock.now());
        sql.update.put(on, { ns, request_uri, used, expires_at, real_until, record: encode(changed) });
      }
      return changed;
    });
  return {
    push: (pushed, now) =>
      database.write('pushed_requests', async (on) => {
        sql.purge.put(on, { ns, now });
        const { request_uri, client_id, expiresAt: expires_at } = pushed;
        const real = realClock.now();
        const record = encode(pushed);
        while (!mayPushRequest((await sql.countWaiting.get(on, { ns }))?.count ?? 0)) {
          if ((await sql.removeStale.run(on, { ns, now, real })) > 0) continue;
          if ((await sql.removeOfCrowding.run(on, { ns, holder: client_id, added: record.length })) === 0)
            return 'full';
        }
        const real_until = realEndOf(expires_at, now, real);
        sql.insert.put(on, { ns, request_uri, client_id, expires_at, real_until, record });
        return 'pushed';
      }),
    find: (requestUri, now) => database.read((on) => find(on, requestUri, now)),
    take: (requestUri, bearer, now) => change(requestUri, now, (pushed) => takePushedRequest(pushed, bearer, now)),
    use: async (requestUri, usedBy, now) =>
      (await change(requestUri, now, (pushed) => usePushedRequest(pushed, usedBy, now))) !== undefined,
  };
}
