// Claims typed for one login as rows in PostgreSQL: what is done inside a transaction, whoever began it. Kept by real time, as the
// memory of the tokens is (token-memory.ts).
import { type Instant, plusSeconds } from '#shared/clock.ts';
import { revocationMemorySeconds } from '#shared/domain/refresh-family.ts';
import type { NamedClaims } from '#shared/domain/typed-claims.ts';
import { encode } from '../json-columns.ts';
import type { TypedClaims } from '../ports/typed-claims.ts';
import { typedClaimsTexts } from '../statements/typed-claims.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { prepared, type Writer } from './statement.ts';

/** Their room and number are bounded. */
export const lockOfTypedClaims = 'typed_claims';

const sql = prepared(typedClaimsTexts);

export interface TypedClaimsRows {
  /** Inside a transaction under their lock. */
  keep(on: Writer, named: NamedClaims, until: Instant): Promise<void>;
}

export function typedClaimsRows(context: NamespaceContext): TypedClaimsRows {
  const { ns, realClock } = context;
  const isRoomFor = byteBoundsOf(context);
  return {
    keep: async (on, { name, claims }, until) => {
      const real = realClock.now();
      sql.purge.put(on, { ns, real });
      const before = (await sql.find.get(on, { ns, name, real }))?.kept_until ?? 0;
      // Written anew, so that the order of the rows is that in which they were needed last.
      sql.remove.put(on, { ns, name });
      const record = encode(claims);
      while (!(await isRoomFor(on, 'typed_claims', name, record))) {
        if ((await sql.removeOldest.run(on, { ns })) === 0) return;
      }
      const keptUntil = Math.max(before, until, plusSeconds(real, revocationMemorySeconds));
      sql.insert.put(on, { ns, name, record, until: keptUntil });
      sql.makeRoom.put(on, { ns });
    },
  };
}

export function typedClaimsAdapter({ database, ns, realClock }: NamespaceContext, rows: TypedClaimsRows): TypedClaims {
  return {
    keep: (named, until) => database.write(lockOfTypedClaims, (on) => rows.keep(on, named, until)),
    find: (name) => database.read(async (on) => (await sql.find.get(on, { ns, name, real: realClock.now() }))?.record),
  };
}
