// Claims typed for one login as rows: what is done inside a transaction, whoever began it. Kept by real time, as the memory
// of the tokens is (token-memory.ts).
import { type Instant, plusSeconds } from '#shared/clock.ts';
import type { OwnClaims } from '#shared/configuration/model/claims.ts';
import { revocationMemorySeconds } from '#shared/domain/refresh-family.ts';
import type { NamedClaims } from '#shared/domain/typed-claims.ts';
import { encode } from '../json-columns.ts';
import type { TypedClaims } from '../ports/typed-claims.ts';
import { typedClaimsTexts } from '../statements/typed-claims.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';

/** Work on the rows of typed claims, each piece to be done inside a transaction. */
export interface TypedClaimsRows {
  keep(named: NamedClaims, until: Instant): void;
  find(name: string): OwnClaims | undefined;
}

export function typedClaimsRows(context: NamespaceContext): TypedClaimsRows {
  const { database, ns, realClock } = context;
  const sql = database.prepare(typedClaimsTexts);
  const isRoomFor = byteBoundsOf(context);
  return {
    keep: ({ name, claims }, until) => {
      const real = realClock.now();
      sql.purge.run({ ns, real });
      const before = sql.find.get({ ns, name, real })?.kept_until ?? 0;
      // Written anew, so that the order of the rows is that in which they were needed last.
      sql.remove.run({ ns, name });
      const record = encode(claims);
      while (!isRoomFor('typed_claims', name, record)) if (sql.removeOldest.run({ ns }) === 0) return;
      sql.insert.run({ ns, name, record, until: Math.max(before, until, plusSeconds(real, revocationMemorySeconds)) });
      sql.makeRoom.run({ ns });
    },
    find: (name) => sql.find.get({ ns, name, real: realClock.now() })?.record,
  };
}

export function typedClaimsAdapter({ database }: NamespaceContext, rows: TypedClaimsRows): TypedClaims {
  return {
    keep: (named, until) => database.write(() => rows.keep(named, until)),
    find: (name) => database.read(() => rows.find(name)),
  };
}
