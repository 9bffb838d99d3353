// Device grants in SQLite. A record outlives its time by a while, so that the client hears `expired_token` (GRT-23).
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/clock.ts';
import {
  type DeviceDecision,
  type DeviceGrant,
  deviceRecordAfterlifeSeconds,
  liveDeviceGrantsMax,
  slowDownSeconds,
} from '#shared/domain/device-grant.ts';
import type { DeviceGrants } from '../ports/device-grants.ts';
import { type NamespaceContext, purger } from './namespace.ts';
import { approvalShape, countRow, encode, encoded, instantColumn, namesShape } from './records.ts';

const spanRow = z.object({ count: z.number().nullable() });
const pollRow = z.object({ last_poll_at: z.number().nullable(), interval_seconds: z.number() });
const grantRow = z.object({
  device_code: z.string(),
  user_code: z.string(),
  client_id: z.string(),
  scope: encoded(namesShape),
  resource: encoded(namesShape),
  created_at: instantColumn,
  expires_at: instantColumn,
  interval_seconds: z.number(),
  state: z.enum(['pending', 'denied', 'approved', 'used']),
  approval: encoded(approvalShape).nullable(),
});

export function deviceGrantsAdapter(context: NamespaceContext): DeviceGrants {
  const { database, ns } = context;
  const purge = purger(context, 'device_grants', 'forgotten_at');

  // No more rows than that can be there, and finding it out costs nothing, while counting 10,000 takes a millisecond.
  const span = database.query(
    'SELECT (SELECT max(seq) FROM device_grants) - (SELECT min(seq) FROM device_grants) + 1 AS count',
    spanRow,
  );
  const countLive = database.query(
    `SELECT count(*) AS count FROM device_grants
     WHERE namespace = @ns AND state IN ('pending', 'approved') AND expires_at > @now`,
    countRow,
  );
  const dropForgotten = database.command(
    `DELETE FROM device_grants
     WHERE namespace = @ns AND (device_code = @device_code OR user_code = @user_code) AND forgotten_at <= @now`,
  );
  const insert = database.command(
    `INSERT OR IGNORE INTO device_grants (namespace, device_code, user_code, client_id, scope, resource, created_at,
       expires_at, forgotten_at, interval_seconds, state)
     VALUES (@ns, @device_code, @user_code, @client_id, @scope, @resource, @created_at,
       @expires_at, @forgotten_at, @interval_seconds, 'pending')`,
  );
  const columns = `device_code, user_code, client_id, scope, resource, created_at, expires_at, interval_seconds, state,
    approval`;
  const findByUserCode = database.query(
    `SELECT ${columns} FROM device_grants WHERE namespace = @ns AND user_code = @user_code AND forgotten_at > @now`,
    grantRow,
  );
  const findByDeviceCode = database.query(
    `SELECT ${columns} FROM device_grants WHERE namespace = @ns AND device_code = @device_code AND forgotten_at > @now`,
    grantRow,
  );
  const decide = database.command(
    `UPDATE device_grants SET state = @state, approval = @approval
     WHERE namespace = @ns AND user_code = @user_code AND state = 'pending' AND expires_at > @now`,
  );
  const use = database.command(
    `UPDATE device_grants SET state = 'used'
     WHERE namespace = @ns AND device_code = @device_code AND state = 'approved' AND expires_at > @now`,
  );
  const lastPoll = database.query(
    'SELECT last_poll_at, interval_seconds FROM device_grants WHERE namespace = @ns AND device_code = @device_code',
    pollRow,
  );
  const poll = database.command(
    `UPDATE device_grants SET last_poll_at = @now, interval_seconds = interval_seconds + @more
     WHERE namespace = @ns AND device_code = @device_code`,
  );

  const isFull = (now: Instant) =>
    (span.get({})?.count ?? 0) >= liveDeviceGrantsMax &&
    (countLive.get({ ns, now })?.count ?? 0) >= liveDeviceGrantsMax;

  return {
    begin: (grant, now) =>
      database.write(() => {
        purge(now);
        if (isFull(now)) return 'full';
        const { device_code, user_code, client_id } = grant;
        dropForgotten.run({ ns, device_code, user_code, now });
        const inserted = insert.run({
          ns,
          device_code,
          user_code,
          client_id,
          scope: encode(grant.scope),
          resource: encode(grant.resource),
          created_at: grant.createdAt,
          expires_at: grant.expiresAt,
          forgotten_at: plusSeconds(grant.expiresAt, deviceRecordAfterlifeSeconds),
          interval_seconds: grant.intervalSeconds,
        });
        return inserted === 1 ? 'begun' : 'collision';
      }),
    findByUserCode: (userCode, now) =>
      database.read(() => {
        const row = findByUserCode.get({ ns, user_code: userCode, now });
        return row && grantOf(row);
      }),
    findByDeviceCode: (deviceCode, now) =>
      database.read(() => {
        const row = findByDeviceCode.get({ ns, device_code: deviceCode, now });
        return row && grantOf(row);
      }),
    approve: (userCode, approval, now) =>
      database.write(() => {
        const decided = decide.run({ ns, user_code: userCode, state: 'approved', approval: encode(approval), now });
        return decided === 1 ? 'approved' : 'not_pending';
      }),
    deny: (userCode, now) =>
      database.write(() => {
        const decided = decide.run({ ns, user_code: userCode, state: 'denied', approval: null, now });
        return decided === 1 ? 'denied' : 'not_pending';
      }),
    notePoll: (deviceCode, now) =>
      database.write(() => {
        const previous = lastPoll.get({ ns, device_code: deviceCode });
        if (previous === undefined) return 'in_time';
        const { last_poll_at, interval_seconds } = previous;
        const tooSoon = last_poll_at !== null && now - last_poll_at < interval_seconds * 1000;
        poll.run({ ns, device_code: deviceCode, now, more: tooSoon ? slowDownSeconds : 0 });
        return tooSoon ? 'slow_down' : 'in_time';
      }),
    redeem: (deviceCode, now) =>
      database.write(() => (use.run({ ns, device_code: deviceCode, now }) === 1 ? 'redeemed' : 'not_approved')),
  };
}

function grantOf(row: z.output<typeof grantRow>): DeviceGrant {
  return {
    device_code: row.device_code,
    user_code: row.user_code,
    client_id: row.client_id,
    scope: row.scope,
    resource: row.resource,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    intervalSeconds: row.interval_seconds,
    decision: decisionOf(row),
  };
}

function decisionOf({ state, approval }: z.output<typeof grantRow>): DeviceDecision {
  if (state === 'pending' || state === 'denied') return { state };
  if (approval === null) throw new Error('A decided device grant has no approval.');
  return { state, ...approval };
}
