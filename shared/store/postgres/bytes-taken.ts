// How many bytes the records of a kind take in a namespace: counted by triggers, so that no statement can forget it.
import * as z from 'zod';
import { type BoundedKind, isWithinBound } from '#shared/domain/byte-bounds.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { query, type Runner } from './statement.ts';

const takenBy = (kind: string) =>
  `SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM taken_room WHERE namespace = @ns AND kind = ${kind}`;

/** Within a statement. */
export const takenRoom = (kind: BoundedKind) => `(${takenBy(`'${kind}'`)})`;

const taken = query(takenBy('@kind'), z.object({ bytes: z.number() }));

/** Inside a transaction: whether a record of these texts fits beside the others. */
export function byteBoundsOf({
  ns,
}: NamespaceContext): (on: Runner, kind: BoundedKind, ...texts: string[]) => Promise<boolean> {
  return async (on, kind, ...texts) => {
    const added = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return isWithinBound(kind, (await taken.get(on, { ns, kind }))?.bytes ?? 0, added);
  };
}
