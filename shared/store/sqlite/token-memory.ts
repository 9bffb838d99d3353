// What is remembered of tokens that count no more, in one table of small rows: a revoked family, how far a line of refresh
// tokens was rotated, a revoked access token. Kept by real time, wherever the protocol's clock goes (TIM-22), and deleted only when that is proved to have come so far.
import { type Instant, plusSeconds } from '#shared/clock.ts';
import { revocationMemorySeconds } from '#shared/domain/refresh-family.ts';
import { presentRow } from '../json-columns.ts';
import { digestOf, type MemoryKind } from '../rows/token-memory.ts';
import { command, query } from '../statements/text.ts';
import { tokenMemoryTexts } from '../statements/token-memory.ts';
import { purgedAtOnce } from '../store-context.ts';
import type { NamespaceContext } from './namespace-context.ts';

export interface TokenMemory {
  /** 0: nothing is remembered. */
  recall(kind: MemoryKind, id: string): number;
  /** Whether an access token is revoked, by itself or with one of its families; asked in one statement. */
  isAccessRevoked(jti: string, families: readonly string[]): boolean;
  /** Inside a transaction. Nothing remembered ever gets smaller or shorter. `expiresAt`: when the tokens are over anyway. */
  remember(kind: MemoryKind, id: string, value: number, expiresAt: Instant): void;
}

const texts = {
  ...tokenMemoryTexts,
  prove: command('UPDATE head SET proved_real = max(proved_real, @proof)'),
  purge: command(
    `DELETE FROM token_memory WHERE (namespace, kind, digest) IN
       (SELECT namespace, kind, digest FROM token_memory WHERE kept_until <= @real LIMIT ${purgedAtOnce})`,
  ),
  revocation: query(
    `SELECT 1 AS present FROM token_memory
     WHERE namespace = @ns AND kind = 'access' AND digest = @access AND value > 0 AND kept_until > @real
     UNION ALL SELECT 1 AS present FROM token_memory
     WHERE namespace = @ns AND kind = 'family' AND digest IN (@family, @group) AND value > 1 AND kept_until > @real
     LIMIT 1`,
    presentRow,
  ),
  remember: command(
    `INSERT INTO token_memory (namespace, kind, digest, value, kept_until) VALUES (@ns, @kind, @digest, @value, @until)
     ON CONFLICT (namespace, kind, digest) DO UPDATE SET
       value = CASE WHEN kept_until > @real THEN max(value, excluded.value) ELSE excluded.value END,
       kept_until = max(kept_until, excluded.kept_until)`,
  ),
};

export function tokenMemory({ database, ns, realClock, proved }: NamespaceContext): TokenMemory {
  const sql = database.prepare(texts);
  return {
    recall: (kind, id) => sql.recall.get({ ns, kind, digest: digestOf(id), real: realClock.now() })?.value ?? 0,
    isAccessRevoked: (jti, [family, group]) => {
      const digest = (name: string | undefined) => (name === undefined ? null : digestOf(name));
      const asked = { access: digestOf(jti), family: digest(family), group: digest(group) };
      return sql.revocation.get({ ns, ...asked, real: realClock.now() }) !== undefined;
    },
    remember: (kind, id, value, expiresAt) => {
      const real = realClock.now();
      sql.purge.run({ real: proved.now() });
      const proof = proved.toStore();
      if (proof !== undefined) sql.prove.run({ proof });
      const until = Math.max(plusSeconds(real, revocationMemorySeconds), expiresAt);
      sql.remember.run({ ns, kind, digest: digestOf(id), value, until, real });
    },
  };
}
