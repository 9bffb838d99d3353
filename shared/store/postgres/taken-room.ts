// How many bytes the records of a kind take in a namespace: counted by triggers, so that no statement can forget it.
import * as z from 'zod';
import { type BoundedKind, hasRoom } from '#shared/domain/room.ts';
import type { NamespaceContext } from './namespace.ts';
import { query, type Runner } from './statement.ts';

const taken = query(
  'SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM taken_room WHERE namespace = @ns AND kind = @kind',
  z.object({ bytes: z.number() }),
);

/** Inside a transaction: whether a record of these texts fits beside the others. */
export function roomIn({
  ns,
}: NamespaceContext): (on: Runner, kind: BoundedKind, ...texts: string[]) => Promise<boolean> {
  return async (on, kind, ...texts) => {
    const added = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return hasRoom(kind, (await taken.get(on, { ns, kind }))?.bytes ?? 0, added);
  };
}
