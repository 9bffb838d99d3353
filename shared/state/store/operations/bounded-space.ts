// The bytes that the records of a kind take in a namespace. Triggers count them, so no statement can omit it.
import * as z from 'zod';
import { type BoundedKind, isWithinBound } from '#shared/model/domain/byte-bounds.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { query } from '../statements/text.ts';
import type { Steps, Work } from './work.ts';

/** `kind`: an SQL expression. */
export const bytesTaken = (kind: string) =>
  `SELECT CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes FROM taken_room WHERE namespace = @ns AND kind = ${kind}`;

export const spaceTexts = () => ({ taken: query(bytesTaken('@kind'), z.object({ bytes: z.number() })) });

export function* hasRoomFor(
  sql: Steps<ReturnType<typeof spaceTexts>>,
  ns: NamespaceKey,
  kind: BoundedKind,
  texts: readonly string[],
): Work<boolean> {
  const added = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return isWithinBound(kind, (yield* sql.taken.get({ ns, kind }))?.bytes ?? 0, added);
}
