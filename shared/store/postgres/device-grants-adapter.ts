// Device grants in PostgreSQL.
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
import { prepared, type Runner, type Writer } from './statement.ts';
import { lockOfTypedClaims, type TypedClaimsRows } from './typed-claims-rows.ts';

const sql = prepared({
  ...deviceGrantTexts,
  purge: purgeOf('device_grants', 'forgotten_at'),
});

export function deviceGrantsAdapter(context: NamespaceContext, typedClaims: TypedClaimsRows): DeviceGrants {
  const { database, ns, realClock } = context;
  const isRoomFor = byteBoundsOf(context);
  const live = async (on: Runner, now: Instant, real: Instant) => {
    const most = (await sql.span.get(on, {}))?.count ?? 0;
    return mayBeginDeviceGrant(most) ? most : ((await sql.countLive.get(on, { ns, now, real }))?.count ?? 0);
  };
  const byUserCode = async (on: Runner, userCode: string, now: Instant) => {
    const row = await sql.findByUserCode.get(on, { ns, user_code: userCode });
    return row && unlessForgotten(grantOf(row), now);
  };
  const byDeviceCode = async (on: Runner, deviceCode: string, now: Instant) => {
    const row = await sql.findByDeviceCode.get(on, { ns, device_code: deviceCode });
    return row && unlessForgotten(grantOf(row), now);
  };
  /** Stores what became of a grant; undefined: nothing did. */
  const store = async (on: Writer, decided: DeviceGrant | undefined): Promise<boolean> => {
    if (decided === undefined) return false;
    const { device_code, decision } = decided;
    const { state, ...approval } = decision;
    sql.decide.put(on, {
      ns,
      device_code,
      state,
      approval: Object.keys(approval).length === 0 ? null : encode(approval),
    });
    return true;
  };

  return {
    begin: (grant, now) =>
      database.write('device_grants', async (on) => {
        sql.purge.put(on, { ns, now });
        const { device_code, user_code, client_id } = grant;
        const [scope, resource] = [encode(grant.scope), encode(grant.resource)];
        const real = realClock.now();
        const added = scope.length + resource.length;
        const hasRoom = async () =>
          mayBeginDeviceGrant(await live(on, now, real)) &&
          (await isRoomFor(on, 'device_grants', scope, resource, client_id));
        while (!(await hasRoom())) {
          if ((await sql.removeStale.run(on, { ns, now, real })) > 0) continue;
          if ((await sql.removeOfCrowding.run(on, { ns, now, holder: client_id, added })) === 0) return 'full';
        }
        sql.dropForgotten.put(on, { ns, device_code, user_code, now });
        const inserted = await sql.insert.run(on, {
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
    findByUserCode: (userCode, now) => database.read((on) => byUserCode(on, userCode, now)),
    findByDeviceCode: (deviceCode, now) => database.read((on) => byDeviceCode(on, deviceCode, now)),
    approve: (userCode, approval, now) =>
      database.write('device_grants', async (on) => {
        const decided = decideDeviceGrant(await byUserCode(on, userCode, now), { state: 'approved', ...approval }, now);
        return (await store(on, decided)) ? 'approved' : 'not_pending';
      }),
    deny: (userCode, now) =>
      database.write('device_grants', async (on) => {
        const decided = decideDeviceGrant(await byUserCode(on, userCode, now), { state: 'denied' }, now);
        return (await store(on, decided)) ? 'denied' : 'not_pending';
      }),
    notePoll: (deviceCode, now) =>
      database.write('device_grants', async (on) => {
        const row = await sql.findByDeviceCode.get(on, { ns, device_code: deviceCode });
        if (row === undefined) return 'in_time';
        const { interval_seconds: intervalSeconds, last_poll_at: lastPollAt } = row;
        const { answer, polling } = pollDeviceGrant({ intervalSeconds, lastPollAt: lastPollAt ?? undefined }, now);
        sql.poll.put(on, {
          ns,
          device_code: deviceCode,
          last_poll_at: polling.lastPollAt ?? null,
          interval_seconds: polling.intervalSeconds,
        });
        return answer;
      }),
    interfere: (deviceCode, how, now) =>
      database.write('device_grants', async (on) => {
        const changed = interfereWithDeviceGrant(await byDeviceCode(on, deviceCode, now), how, now);
        if (changed === undefined) return undefined;
        const { expiresAt: expires_at, intervalSeconds: interval_seconds } = changed;
        const forgotten_at = endOfDeviceRecord(changed);
        sql.interfere.put(on, { ns, device_code: deviceCode, expires_at, forgotten_at, interval_seconds });
        await store(on, changed);
        return changed;
      }),
    newestPendingBeside: (deviceCode, now) =>
      database.read(async (on) => {
        const row = await sql.newestPendingBeside.get(on, { ns, device_code: deviceCode, now });
        return row && grantOf(row);
      }),
    redeem: (deviceCode, now, typed) =>
      database.write(['device_grants', ...(typed === undefined ? [] : [lockOfTypedClaims])], async (on) => {
        if (!(await store(on, redeemDeviceGrant(await byDeviceCode(on, deviceCode, now), now)))) return 'not_approved';
        if (typed !== undefined) await typedClaims.keep(on, typed, typed.until);
        return 'redeemed';
      }),
  };
}
