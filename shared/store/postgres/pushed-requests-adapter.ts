// Pushed authorization requests in PostgreSQL. One that was used stays until its time is over.
import type { Instant } from '#shared/clock.ts';
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

export function pushedRequestsAdapter({ database, ns }: NamespaceContext): PushedRequests {
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
        sql.update.put(on, { ns, request_uri, used, expires_at: changed.expiresAt, record: encode(changed) });
      }
      return changed;
    });
  return {
    push: (pushed, now) =>
      database.write('pushed_requests', async (on) => {
        sql.purge.put(on, { ns, now });
        const { request_uri, expiresAt: expires_at } = pushed;
        if (!mayPushRequest((await sql.countWaiting.get(on, { ns, now }))?.count ?? 0)) return 'full';
        sql.insert.put(on, { ns, request_uri, expires_at, record: encode(pushed) });
        return 'pushed';
      }),
    find: (requestUri, now) => database.read((on) => find(on, requestUri, now)),
    take: (requestUri, bearer, now) => change(requestUri, now, (pushed) => takePushedRequest(pushed, bearer, now)),
    use: async (requestUri, usedBy, now) =>
      (await change(requestUri, now, (pushed) => usePushedRequest(pushed, usedBy, now))) !== undefined,
  };
}
