// The statements about `device_grants`.

import * as z from 'zod';
import { countRow } from '../json-columns.ts';
import { grantColumns, grantRow } from '../rows/device-grant.ts';
import { isYoung, removeOfCrowding, removeStale } from './pending.ts';
import { command, query, type StatementTexts } from './text.ts';

/** It can still bring tokens. */
const isLive = "state IN ('pending', 'approved') AND expires_at > @now";

export const deviceGrantTexts = {
  // No more rows than that can be there, and finding it out costs nothing, while counting 10,000 takes a millisecond.
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
  removeOfCrowding: removeOfCrowding('device_grants', {
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
    `SELECT ${grantColumns} FROM device_grants WHERE namespace = @ns AND user_code = @user_code`,
    grantRow,
  ),
  findByDeviceCode: query(
    `SELECT ${grantColumns} FROM device_grants WHERE namespace = @ns AND device_code = @device_code`,
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
    `SELECT ${grantColumns} FROM device_grants
     WHERE namespace = @ns AND state = 'pending' AND expires_at > @now AND device_code <> @device_code
     ORDER BY seq DESC LIMIT 1`,
    grantRow,
  ),
  poll: command(
    `UPDATE device_grants SET last_poll_at = @last_poll_at, interval_seconds = @interval_seconds
     WHERE namespace = @ns AND device_code = @device_code`,
  ),
} satisfies StatementTexts;
