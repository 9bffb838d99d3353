// Device grants in SQLite.
import type { Instant } from '#shared/clock.ts';
import {
  type DeviceGrant,
  decideDeviceGrant,
  endOfDeviceRecord,
  interfereWithDeviceGrant,
  mayBeginDeviceGrant,
  pollDeviceGrant,
  redeemDeviceGrant,
} from '#shared/domain/device-grant.ts';
import { realEndOf } from '#shared/domain/pending-age.ts';
import { encode } from '../json-columns.ts';
import type { DeviceGrants } from '../ports/device-grants.ts';
import { grantOf, unlessForgotten } from '../rows/device-grant.ts';
import { deviceGrantTexts } from '../statements/device-grants.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import type { TypedClaimsRows } from './typed-claims-rows.ts';

const texts = {
  ...deviceGrantTexts,
  purge: purgeOf('device_grants', 'forgotten_at'),
};

export function deviceGrantsAdapter(context: NamespaceContext, typedClaims: TypedClaimsRows): DeviceGrants {
  const { database, ns, realClock } = context;
  const isRoomFor = byteBoundsOf(context);
  const sql = database.prepare(texts);
  const live = (now: Instant, real: Instant) => {
    const most = sql.span.get({})?.count ?? 0;
    return mayBeginDeviceGrant(most) ? most : (sql.countLive.get({ ns, now, real })?.count ?? 0);
  };
  const byUserCode = (userCode: string, now: Instant) => {
    const row = sql.findByUserCode.get({ ns, user_code: userCode });
    return row && unlessForgotten(grantOf(row), now);
  };
  const byDeviceCode = (deviceCode: string, now: Instant) => {
    const row = sql.findByDeviceCode.get({ ns, device_code: deviceCode });
    return row && unlessForgotten(grantOf(row), now);
  };
  /** Stores what became of a grant; undefined: nothing did. */
  const store = (decided: DeviceGrant | undefined): boolean => {
    if (decided === undefined) return false;
    const { device_code, decision } = decided;
    const { state, ...approval } = decision;
    sql.decide.run({ ns, device_code, state, approval: Object.keys(approval).length === 0 ? null : encode(approval) });
    return true;
  };

  return {
    begin: (grant, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        const { device_code, user_code, client_id } = grant;
        const [scope, resource] = [encode(grant.scope), encode(grant.resource)];
        const real = realClock.now();
        const added = scope.length + resource.length;
        const hasRoom = () =>
          mayBeginDeviceGrant(live(now, real)) && isRoomFor('device_grants', scope, resource, client_id);
        while (!hasRoom()) {
          if (sql.removeStale.run({ ns, now, real }) > 0) continue;
          if (sql.removeOfCrowding.run({ ns, now, holder: client_id, added }) === 0) return 'full';
        }
        sql.dropForgotten.run({ ns, device_code, user_code, now });
        const inserted = sql.insert.run({
          ns,
          device_code,
          user_code,
          client_id,
          client_instance: grant.clientInstance ?? null,
          scope,
          resource,
          created_at: grant.createdAt,
          expires_at: grant.expiresAt,
          forgotten_at: endOfDeviceRecord(grant),
          real_until: realEndOf(grant.expiresAt, now, real),
          interval_seconds: grant.intervalSeconds,
        });
        return inserted === 1 ? 'begun' : 'collision';
      }),
    findByUserCode: (userCode, now) => database.read(() => byUserCode(userCode, now)),
    findByDeviceCode: (deviceCode, now) => database.read(() => byDeviceCode(deviceCode, now)),
    approve: (userCode, approval, now) =>
      database.write(() => {
        const decided = decideDeviceGrant(byUserCode(userCode, now), { state: 'approved', ...approval }, now);
        return store(decided) ? 'approved' : 'not_pending';
      }),
    deny: (userCode, now) =>
      database.write(() => {
        const decided = decideDeviceGrant(byUserCode(userCode, now), { state: 'denied' }, now);
        return store(decided) ? 'denied' : 'not_pending';
      }),
    notePoll: (deviceCode, now) =>
      database.write(() => {
        const row = sql.findByDeviceCode.get({ ns, device_code: deviceCode });
        if (row === undefined) return 'in_time';
        const { interval_seconds: intervalSeconds, last_poll_at: lastPollAt } = row;
        const { answer, polling } = pollDeviceGrant({ intervalSeconds, lastPollAt: lastPollAt ?? undefined }, now);
        sql.poll.run({
          ns,
          device_code: deviceCode,
          last_poll_at: polling.lastPollAt ?? null,
          interval_seconds: polling.intervalSeconds,
        });
        return answer;
      }),
    interfere: (deviceCode, how, now) =>
      database.write(() => {
        const changed = interfereWithDeviceGrant(byDeviceCode(deviceCode, now), how, now);
        if (changed === undefined) return undefined;
        const { expiresAt: expires_at, intervalSeconds: interval_seconds } = changed;
        const forgotten_at = endOfDeviceRecord(changed);
        sql.interfere.run({ ns, device_code: deviceCode, expires_at, forgotten_at, interval_seconds });
        store(changed);
        return changed;
      }),
    newestPendingBeside: (deviceCode, now) =>
      database.read(() => {
        const row = sql.newestPendingBeside.get({ ns, device_code: deviceCode, now });
        return row && grantOf(row);
      }),
    redeem: (deviceCode, now, typed) =>
      database.write(() => {
        if (!store(redeemDeviceGrant(byDeviceCode(deviceCode, now), now))) return 'not_approved';
        if (typed !== undefined) typedClaims.keep(typed, typed.until);
        return 'redeemed';
      }),
  };
}
