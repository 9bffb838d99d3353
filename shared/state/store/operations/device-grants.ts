// Device grants (RFC 8628).
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import {
  type DeviceDecision,
  type DeviceGrant,
  decideDeviceGrant,
  endOfDeviceRecord,
  interfereWithDeviceGrant,
  isDeviceRecordKept,
  mayBeginDeviceGrant,
  pollDeviceGrant,
  redeemDeviceGrant,
} from '#shared/model/domain/device-grant.ts';
import { realEndOf } from '#shared/model/domain/pending-age.ts';
import { approvalShape, countRow, encode, encoded, instantColumn, namesShape } from '../json-columns.ts';
import type { DeviceGrants } from '../ports/device-grants.ts';
import { isYoung, removeOfLargestHolder, removeStale } from '../statements/pending.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import { type KeepTypedClaims, lockOfTypedClaims } from './typed-claims.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const columns = `device_code, user_code, client_id, client_instance, scope, resource, created_at, expires_at,
  interval_seconds, last_poll_at, state, approval`;

const grantRow = z.object({
  device_code: z.string(),
  user_code: z.string(),
  client_id: z.string(),
  client_instance: z.string().nullable(),
  scope: encoded(namesShape),
  resource: encoded(namesShape),
  created_at: instantColumn,
  expires_at: instantColumn,
  interval_seconds: z.number(),
  last_poll_at: instantColumn.nullable(),
  state: z.enum(['pending', 'denied', 'approved', 'used']),
  approval: encoded(approvalShape).nullable(),
});

type GrantRow = z.output<typeof grantRow>;

/** Whether the grant can still yield tokens. */
const isLive = "state IN ('pending', 'approved') AND expires_at > @now";

const texts = ({ purge }: Dialect) =>
  ({
    purge: purge('device_grants', 'forgotten_at'),
    // An upper bound for the number of rows. It costs nothing, while counting 10,000 rows takes a millisecond.
    span: query(
      'SELECT (SELECT max(seq) FROM device_grants) - (SELECT min(seq) FROM device_grants) + 1 AS count',
      z.object({ count: z.number().nullable() }),
    ),
    countLive: query(
      `SELECT count(*) AS count FROM device_grants
       WHERE namespace = @ns AND ${isLive} AND ${isYoung('device_grants')}`,
      countRow,
    ),
    removeStale: removeStale('device_grants'),
    removeOfCrowding: removeOfLargestHolder('device_grants', {
      ...{ holder: 'client_id', counted: isLive, size: 'length(scope) + length(resource)' },
    }),
    dropForgotten: command(
      `DELETE FROM device_grants
       WHERE namespace = @ns AND (device_code = @device_code OR user_code = @user_code) AND forgotten_at <= @now`,
    ),
    insert: command(
      `INSERT INTO device_grants (namespace, device_code, user_code, client_id, client_instance, scope, resource,
         created_at, expires_at, forgotten_at, real_until, interval_seconds, state)
       VALUES (@ns, @device_code, @user_code, @client_id, @client_instance, @scope, @resource,
         @created_at, @expires_at, @forgotten_at, @real_until, @interval_seconds, 'pending') ON CONFLICT DO NOTHING`,
    ),
    findByUserCode: query(
      `SELECT ${columns} FROM device_grants WHERE namespace = @ns AND user_code = @user_code`,
      grantRow,
    ),
    findByDeviceCode: query(
      `SELECT ${columns} FROM device_grants WHERE namespace = @ns AND device_code = @device_code`,
      grantRow,
    ),
    decide: command(
      `UPDATE device_grants SET state = @state, approval = @approval
       WHERE namespace = @ns AND device_code = @device_code`,
    ),
    interfere: command(
      `UPDATE device_grants SET expires_at = @expires_at, forgotten_at = @forgotten_at,
         interval_seconds = @interval_seconds
       WHERE namespace = @ns AND device_code = @device_code`,
    ),
    newestPendingBeside: query(
      `SELECT ${columns} FROM device_grants
       WHERE namespace = @ns AND state = 'pending' AND expires_at > @now AND device_code <> @device_code
       ORDER BY seq DESC LIMIT 1`,
      grantRow,
    ),
    poll: command(
      `UPDATE device_grants SET last_poll_at = @last_poll_at, interval_seconds = @interval_seconds
       WHERE namespace = @ns AND device_code = @device_code`,
    ),
  }) satisfies StatementTexts;

export function deviceGrants(context: OperationContext, keepTypedClaims: KeepTypedClaims): DeviceGrants {
  const { ns, realClock, prepare, read, write, hasRoomFor } = context;
  const sql = prepare(texts);

  function* countLive(now: Instant, real: Instant): Work<number> {
    const most = (yield* sql.span.get({}))?.count ?? 0;
    return mayBeginDeviceGrant(most) ? most : ((yield* sql.countLive.get({ ns, now, real }))?.count ?? 0);
  }

  function* byUserCode(user_code: string, now: Instant): Work<DeviceGrant | undefined> {
    return keptGrant(yield* sql.findByUserCode.get({ ns, user_code }), now);
  }

  function* byDeviceCode(device_code: string, now: Instant): Work<DeviceGrant | undefined> {
    return keptGrant(yield* sql.findByDeviceCode.get({ ns, device_code }), now);
  }

  /** Stores the changed grant. Returns false for undefined: nothing changed. */
  const store = (decided: DeviceGrant | undefined): boolean => {
    if (decided === undefined) return false;
    const { device_code, decision } = decided;
    const { state, ...approval } = decision;
    sql.decide.put({ ns, device_code, state, approval: Object.keys(approval).length === 0 ? null : encode(approval) });
    return true;
  };

  return {
    begin: (grant, now) =>
      write('device_grants', function* () {
        sql.purge.put({ ns, now });
        const { device_code, user_code, client_id } = grant;
        const [scope, resource] = [encode(grant.scope), encode(grant.resource)];
        const real = realClock.now();
        const added = scope.length + resource.length;
        for (;;) {
          const isNumberFree = mayBeginDeviceGrant(yield* countLive(now, real));
          if (isNumberFree && (yield* hasRoomFor('device_grants', scope, resource, client_id))) break;
          if ((yield* sql.removeStale.run({ ns, now, real })) > 0) continue;
          if ((yield* sql.removeOfCrowding.run({ ns, now, holder: client_id, added })) === 0) return 'full';
        }
        sql.dropForgotten.put({ ns, device_code, user_code, now });
        const inserted = yield* sql.insert.run({
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
    findByUserCode: (userCode, now) => read(() => byUserCode(userCode, now)),
    findByDeviceCode: (deviceCode, now) => read(() => byDeviceCode(deviceCode, now)),
    approve: (userCode, approval, now) =>
      write('device_grants', function* () {
        const pending = yield* byUserCode(userCode, now);
        return store(decideDeviceGrant(pending, { state: 'approved', ...approval }, now)) ? 'approved' : 'not_pending';
      }),
    deny: (userCode, now) =>
      write('device_grants', function* () {
        const pending = yield* byUserCode(userCode, now);
        return store(decideDeviceGrant(pending, { state: 'denied' }, now)) ? 'denied' : 'not_pending';
      }),
    notePoll: (device_code, now) =>
      write('device_grants', function* () {
        const row = yield* sql.findByDeviceCode.get({ ns, device_code });
        if (row === undefined) return 'in_time';
        const { interval_seconds: intervalSeconds, last_poll_at: lastPollAt } = row;
        const { answer, polling } = pollDeviceGrant({ intervalSeconds, lastPollAt: lastPollAt ?? undefined }, now);
        const last_poll_at = polling.lastPollAt ?? null;
        sql.poll.put({ ns, device_code, last_poll_at, interval_seconds: polling.intervalSeconds });
        return answer;
      }),
    interfere: (device_code, how, now) =>
      write('device_grants', function* () {
        const changed = interfereWithDeviceGrant(yield* byDeviceCode(device_code, now), how, now);
        if (changed === undefined) return undefined;
        const { expiresAt: expires_at, intervalSeconds: interval_seconds } = changed;
        const forgotten_at = endOfDeviceRecord(changed);
        sql.interfere.put({ ns, device_code, expires_at, forgotten_at, interval_seconds });
        store(changed);
        return changed;
      }),
    newestPendingBeside: (device_code, now) =>
      read(function* () {
        const row = yield* sql.newestPendingBeside.get({ ns, device_code, now });
        return row && grantOf(row);
      }),
    redeem: (deviceCode, now, typed) =>
      write(['device_grants', ...(typed === undefined ? [] : [lockOfTypedClaims])], function* () {
        if (!store(redeemDeviceGrant(yield* byDeviceCode(deviceCode, now), now))) return 'not_approved';
        if (typed !== undefined) yield* keepTypedClaims(typed, typed.until);
        return 'redeemed';
      }),
  };
}

/** An expired grant is kept for the responses to its client. */
function keptGrant(row: GrantRow | undefined, now: Instant): DeviceGrant | undefined {
  const grant = row && grantOf(row);
  return grant !== undefined && isDeviceRecordKept(grant, now) ? grant : undefined;
}

function grantOf(row: GrantRow): DeviceGrant {
  return {
    device_code: row.device_code,
    user_code: row.user_code,
    client_id: row.client_id,
    ...(row.client_instance === null ? {} : { clientInstance: row.client_instance }),
    scope: row.scope,
    resource: row.resource,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    intervalSeconds: row.interval_seconds,
    decision: decisionOf(row),
  };
}

function decisionOf({ state, approval }: GrantRow): DeviceDecision {
  if (state === 'pending' || state === 'denied') return { state };
  if (approval === null) throw new Error('An approved device grant has no approval record.');
  return { state, ...approval };
}
