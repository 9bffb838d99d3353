// The statements about `pushed_requests`.
import { countRow } from '../json-columns.ts';
import { pushedRequestRow } from '../rows/pushed-request.ts';
import { command, query, type StatementTexts } from './text.ts';

export const pushedRequestTexts = {
  insert: command(
    `INSERT INTO pushed_requests (namespace, request_uri, used, expires_at, record)
     VALUES (@ns, @request_uri, 0, @expires_at, @record)`,
  ),
  countWaiting: query(
    'SELECT count(*) AS count FROM pushed_requests WHERE namespace = @ns AND expires_at > @now AND used = 0',
    countRow,
  ),
  find: query(
    'SELECT record FROM pushed_requests WHERE namespace = @ns AND request_uri = @request_uri',
    pushedRequestRow,
  ),
  update: command(
    `UPDATE pushed_requests SET used = @used, expires_at = @expires_at, record = @record
     WHERE namespace = @ns AND request_uri = @request_uri`,
  ),
} satisfies StatementTexts;
