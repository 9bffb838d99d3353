// State of tokens that are no longer valid, in one table of small rows: revoked families, the current token of each
// rotated line, and revoked access tokens. Rows expire by real time, wherever the protocol's clock moves (TIM-22). They
// are deleted only when real time is proved to have passed their expiry.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { revocationMemorySeconds } from '#shared/model/domain/refresh-family.ts';
import { presentRow } from '../json-columns.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

/**
 * `family`: 1 revoked, 2 with its access tokens. `line`: the number of its current token. `access`: 1 revoked.
 * `cookie`: 1 ended.
 */
type MemoryKind = 'family' | 'line' | 'access' | 'cookie';

export interface TokenMemory {
  /** Returns 0 if nothing is stored. */
  recall(kind: MemoryKind, id: string): Work<number>;
  /** Returns whether an access token is revoked, directly or with one of its families. One statement. */
  isAccessRevoked(jti: string, families: readonly string[]): Work<boolean>;
  /**
   * Within a write. Neither the stored value nor the expiry ever decreases. `expiresAt`: when the tokens expire anyway.
   */
  remember(kind: MemoryKind, id: string, value: number, expiresAt: Instant): void;
}

const texts = ({ greatest, purgeWhere }: Dialect) =>
  ({
    recall: query(
      `SELECT value FROM token_memory
       WHERE namespace = @ns AND kind = @kind AND digest = @digest AND kept_until > @real`,
      z.object({ value: z.number() }),
    ),
    // Two key look-ups: for an OR, SQLite would scan all rows.
    revocation: query(
      `SELECT 1 AS present FROM token_memory
       WHERE namespace = @ns AND kind = 'access' AND digest = @access AND value > 0 AND kept_until > @real
       UNION ALL SELECT 1 AS present FROM token_memory
       WHERE namespace = @ns AND kind = 'family' AND digest IN (@family, @group) AND value > 1 AND kept_until > @real
       LIMIT 1`,
      presentRow,
    ),
    prove: command(`UPDATE head SET proved_real = ${greatest('proved_real', '@proof')}`),
    purge: purgeWhere('token_memory', 'namespace, kind, digest', 'kept_until <= @real'),
    remember: command(
      `INSERT INTO token_memory AS m (namespace, kind, digest, value, kept_until)
       VALUES (@ns, @kind, @digest, @value, @until)
       ON CONFLICT (namespace, kind, digest) DO UPDATE SET
         value = CASE WHEN m.kept_until > @real THEN ${greatest('m.value', 'excluded.value')} ELSE excluded.value END,
         kept_until = ${greatest('m.kept_until', 'excluded.kept_until')}`,
    ),
  }) satisfies StatementTexts;

export function tokenMemory({ ns, realClock, proved, prepare, apart }: OperationContext): TokenMemory {
  const sql = prepare(texts);
  return {
    *recall(kind, id) {
      return (yield* sql.recall.get({ ns, kind, digest: digestOf(id), real: realClock.now() }))?.value ?? 0;
    },
    *isAccessRevoked(jti, [family, group]) {
      const digest = (name: string | undefined) => (name === undefined ? null : digestOf(name));
      const digests = { access: digestOf(jti), family: digest(family), group: digest(group) };
      return (yield* sql.revocation.get({ ns, ...digests, real: realClock.now() })) !== undefined;
    },
    remember(kind, id, value, expiresAt) {
      const real = realClock.now();
      sql.purge.put({ real: proved.now() });
      const proof = proved.toStore();
      if (proof !== undefined) apart(sql.prove.bound({ proof }));
      const until = Math.max(plusSeconds(real, revocationMemorySeconds), expiresAt);
      sql.remember.put({ ns, kind, digest: digestOf(id), value, until, real });
    },
  };
}

/** 128 bits identify a name and are short for any length. */
export function digestOf(id: string): Buffer {
  return hash('sha256', id, 'buffer').subarray(0, 16);
}
