// The statements about `pushed_requests`.
import { countRow } from '../json-columns.ts';
import { pushedRequestRow } from '../rows/pushed-request.ts';
import { removeOfCrowding, removeStale } from './pending.ts';
import { command, query, type StatementTexts } from './text.ts';

export const pushedRequestTexts = {
  insert: command(
    `INSERT INTO pushed_requests (namespace, request_uri, client_id, used, expires_at, real_until, record)
     VALUES (@ns, @request_uri, @client_id, 0, @expires_at, @real_until, @record)`,
  ),
  countWaiting: query('SELECT count(*) AS count FROM pushed_requests WHERE namespace = @ns AND used = 0', countRow),
  removeStale: removeStale('pushed_requests'),
  removeOfCrowding: removeOfCrowding('pushed_requests', {
    ...{ holder: 'client_id', counted: 'used = 0', size: 'length(record)' },
  }),
  find: query(
    'SELECT record FROM pushed_requests WHERE namespace = @ns AND request_uri = @request_uri',
    pushedRequestRow,
  ),
  update: command(
    `UPDATE pushed_requests SET used = @used, expires_at = @expires_at, real_until = @real_until, record = @record
     WHERE namespace = @ns AND request_uri = @request_uri`,
  ),
} satisfies StatementTexts;
