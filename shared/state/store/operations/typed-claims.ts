// Claims typed for one login. They expire by real time, like the state of tokens (token-memory.ts).
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { revocationMemorySeconds } from '#shared/model/domain/refresh-family.ts';
import { type NamedClaims, typedClaimsMax } from '#shared/model/domain/typed-claims.ts';
import { claimsShape, encode, encoded, instantColumn } from '../json-columns.ts';
import type { TypedClaims } from '../ports/typed-claims.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from '../statements/text.ts';
import { purgedAtOnce } from '../store-context.ts';
import type { OperationContext, Work } from './work.ts';

/** Held by every write that stores typed claims, because their bytes and number are bounded. */
export const lockOfTypedClaims = 'typed_claims';

const texts = () =>
  ({
    purge: command(
      `DELETE FROM typed_claims WHERE seq IN
         (SELECT seq FROM typed_claims WHERE namespace = @ns AND kept_until <= @real LIMIT ${purgedAtOnce})`,
    ),
    find: query(
      'SELECT kept_until, record FROM typed_claims WHERE namespace = @ns AND name = @name AND kept_until > @real',
      z.object({ kept_until: instantColumn, record: encoded(claimsShape) }),
    ),
    insert: command(
      'INSERT INTO typed_claims (namespace, name, kept_until, record) VALUES (@ns, @name, @until, @record)',
    ),
    remove: command('DELETE FROM typed_claims WHERE namespace = @ns AND name = @name'),
    removeOldest: removeOldest('typed_claims'),
    removeBeyondMax: removeBeyond('typed_claims', typedClaimsMax),
  }) satisfies StatementTexts;

/** Stores the claims within a write that holds `lockOfTypedClaims`. */
export type KeepTypedClaims = (named: NamedClaims, until: Instant) => Work<void>;

export function keepTypedClaims({ ns, realClock, prepare, hasRoomFor }: OperationContext): KeepTypedClaims {
  const sql = prepare(texts);
  return function* ({ name, claims }, until) {
    const real = realClock.now();
    sql.purge.put({ ns, real });
    const before = (yield* sql.find.get({ ns, name, real }))?.kept_until ?? 0;
    // Delete and insert keep the rows in the order of last use.
    sql.remove.put({ ns, name });
    const record = encode(claims);
    while (!(yield* hasRoomFor('typed_claims', name, record))) {
      if ((yield* sql.removeOldest.run({ ns })) === 0) return;
    }
    sql.insert.put({ ns, name, record, until: Math.max(before, until, plusSeconds(real, revocationMemorySeconds)) });
    sql.removeBeyondMax.put({ ns });
  };
}

export function typedClaims(context: OperationContext): TypedClaims {
  const { ns, realClock, prepare, read, write } = context;
  const sql = prepare(texts);
  const keep = keepTypedClaims(context);
  return {
    save: (named, until) => write(lockOfTypedClaims, () => keep(named, until)),
    find: (name) =>
      read(function* () {
        return (yield* sql.find.get({ ns, name, real: realClock.now() }))?.record;
      }),
  };
}
