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
import { prepared, type Runner, type Writer } from './statement.ts';

export interface TokenMemory {
  /** 0: nothing is remembered. */
  recall(on: Runner, kind: MemoryKind, id: string): Promise<number>;
  /** Whether an access token is revoked, by itself or with one of its families; asked in one statement. */
  isAccessRevoked(on: Runner, jti: string, families: readonly string[]): Promise<boolean>;
  /** Inside a transaction. Nothing remembered ever gets smaller or shorter. `expiresAt`: when the tokens are over anyway. */
  remember(on: Writer, kind: MemoryKind, id: string, value: number, expiresAt: Instant): Promise<void>;
}

const sql = prepared({
  ...tokenMemoryTexts,
  prove: command('UPDATE head SET proved_real = greatest(proved_real, @proof)'),
  purge: command(
    `DELETE FROM token_memory WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM token_memory WHERE kept_until <= @real LIMIT ${purgedAtOnce} FOR UPDATE SKIP LOCKED))`,
  ),
  revocation: query(
    `SELECT 1 AS present FROM token_memory WHERE namespace = @ns AND kept_until > @real
       AND (kind = 'access' AND digest = @access AND value > 0
         OR kind = 'family' AND digest IN (@family, @group) AND value > 1) LIMIT 1`,
    presentRow,
  ),
  remember: command(
    `INSERT INTO token_memory AS m (namespace, kind, digest, value, kept_until) VALUES (@ns, @kind, @digest, @value, @until)
     ON CONFLICT (namespace, kind, digest) DO UPDATE SET
       value = CASE WHEN m.kept_until > @real THEN greatest(m.value, excluded.value) ELSE excluded.value END,
       kept_until = greatest(m.kept_until, excluded.kept_until)`,
  ),
});

export function tokenMemory({ database, ns, realClock, proved }: NamespaceContext): TokenMemory {
  return {
    recall: async (on, kind, id) =>
      (await sql.recall.get(on, { ns, kind, digest: digestOf(id), real: realClock.now() }))?.value ?? 0,
    isAccessRevoked: async (on, jti, [family, group]) => {
      const digest = (name: string | undefined) => (name === undefined ? null : digestOf(name));
      const asked = { access: digestOf(jti), family: digest(family), group: digest(group) };
      return (await sql.revocation.get(on, { ns, ...asked, real: realClock.now() })) !== undefined;
    },
    remember: async (on, kind, id, value, expiresAt) => {
      const real = realClock.now();
      sql.purge.put(on, { real: proved.now() });
      const proof = proved.toStore();
      // By itself: a lock on the one row of `head` is no part of this transaction.
      if (proof !== undefined) database.change([], [sql.prove.bound({ proof })]).catch(() => undefined);
      const until = Math.max(plusSeconds(real, revocationMemorySeconds), expiresAt);
      sql.remember.put(on, { ns, kind, digest: digestOf(id), value, until, real });
    },
  };
}
