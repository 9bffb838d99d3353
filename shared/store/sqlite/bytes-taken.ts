// How many bytes the records of a kind take in a namespace: counted by triggers, so that no statement can forget it.
import * as z from 'zod';
import { type BoundedKind, isWithinBound } from '#shared/domain/byte-bounds.ts';
import { query } from '../statements/text.ts';
import type { NamespaceContext } from './namespace-context.ts';

const texts = {
  taken: query('SELECT bytes FROM taken_room WHERE namespace = @ns AND kind = @kind', z.object({ bytes: z.number() })),
};

/** Inside a transaction: whether a record of these texts fits beside the others. */
export function byteBoundsOf({ database, ns }: NamespaceContext): (kind: BoundedKind, ...texts: string[]) => boolean {
  const { taken } = database.prepare(texts);
  return (kind, ...texts) => {
    const added = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return isWithinBound(kind, taken.get({ ns, kind })?.bytes ?? 0, added);
  };
}
