// Pushed authorization requests in SQLite. One that was used stays until its time is over.
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

const texts = {
  ...pushedRequestTexts,
  purge: purgeOf('pushed_requests'),
};

export function pushedRequestsAdapter({ database, ns }: NamespaceContext): PushedRequests {
  const sql = database.prepare(texts);
  const find = (request_uri: string, now: Instant) => {
    const pushed = sql.find.get({ ns, request_uri })?.record;
    return pushed !== undefined && now < pushed.expiresAt ? pushed : undefined;
  };
  const change = <Other extends string | undefined>(
    request_uri: string,
    now: Instant,
    next: (pushed?: PushedRequest) => PushedRequest | Other,
  ) =>
    database.write(() => {
      const pushed = find(request_uri, now);
      const changed = next(pushed);
      if (typeof changed === 'object' && changed !== pushed) {
        const used = changed.usedBy === undefined ? 0 : 1;
        sql.update.run({ ns, request_uri, used, expires_at: changed.expiresAt, record: encode(changed) });
      }
      return changed;
    });
  return {
    push: (pushed, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        const { request_uri, expiresAt: expires_at } = pushed;
        if (!mayPushRequest(sql.countWaiting.get({ ns, now })?.count ?? 0)) return 'full';
        sql.insert.run({ ns, request_uri, expires_at, record: encode(pushed) });
        return 'pushed';
      }),
    find: (requestUri, now) => database.read(() => find(requestUri, now)),
    take: (requestUri, bearer, now) => change(requestUri, now, (pushed) => takePushedRequest(pushed, bearer, now)),
    use: async (requestUri, usedBy, now) =>
      (await change(requestUri, now, (pushed) => usePushedRequest(pushed, usedBy, now))) !== undefined,
  };
}
