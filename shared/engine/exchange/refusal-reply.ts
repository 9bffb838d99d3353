// The response for a rejection of any surface.
import type { HttpRefusalRow } from '#shared/model/refusals/families/http.ts';
import { type Found, type Refusal, refused } from '#shared/model/refusals/refusal.ts';
import { json, type Reply, withRefusal } from './reply.ts';

/** `{error, error_description}` with the status of the row. */
export function refusalReply<Row extends HttpRefusalRow & Refusal>(row: Row, ...found: Found<Row>): Reply {
  return withRefusal(json(row.status, { error: row.error, error_description: refused(row, ...found).message }), row);
}
