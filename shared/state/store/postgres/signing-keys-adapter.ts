// Generated signing keys in PostgreSQL: one row that is replaced as a whole. So a rotation is one transaction, and a
// reader gets the keys before or after it. The read that every request makes detects a change (cached-state.ts).
import * as z from 'zod';
import {
  announceNextKey,
  type KeptKeys,
  rotateKeptKeys,
  type SignsWith,
  signsWithSame,
} from '#shared/model/domain/signing-keys.ts';
import { encode, encoded } from '../json-columns.ts';
import type { SigningKeys } from '../ports/signing-keys.ts';
import type { CachedState } from './cached-state.ts';
import { keptKeysColumn } from './kept-keys-column.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Owners } from './proof-of-life.ts';
import type { SharedRefresh } from './shared-refresh.ts';
import { command, query } from './statement.ts';
import type { Transaction } from './transaction.ts';

const signsWithShape: z.ZodType<SignsWith> = z.union([
  z.literal('generated'),
  z.object({ kid: z.string(), thumbprint: z.string() }),
]);
const holderRow = z.object({ owner: z.string(), signs_with: encoded(signsWithShape) });

const sql = {
  find: query('SELECT record FROM signing_keys WHERE namespace = @ns', z.object({ record: keptKeysColumn })),
  store: command(
    `INSERT INTO signing_keys (namespace, record) VALUES (@ns, @record)
     ON CONFLICT (namespace) DO UPDATE SET record = excluded.record`,
  ),
  holders: query('SELECT owner, signs_with FROM key_holders ORDER BY owner', holderRow),
  hold: command(
    `INSERT INTO key_holders (owner, signs_with) VALUES (@owner, @signs_with)
     ON CONFLICT (owner) DO UPDATE SET signs_with = excluded.signs_with`,
  ),
  forget: command('DELETE FROM key_holders WHERE owner = @owner'),
};

interface SigningKeysParts {
  readonly cached: CachedState;
  readonly sharedLook: SharedRefresh;
  readonly owners: Owners;
}

export function signingKeysAdapter(
  { database, ns, log }: NamespaceContext,
  { cached, sharedLook, owners }: SigningKeysParts,
): SigningKeys {
  /** Returns the previous keys and the active ones. */
  const change = async (change: (present: KeptKeys | undefined) => KeptKeys) => {
    const changed = await database.write('signing keys', async (on: Transaction) => {
      const from = (await sql.find.get(on, { ns }))?.record;
      const to = change(from);
      if (to !== from) {
        await sql.store.run(on, { ns, record: encode(to) });
        await cached.noteKeysChanged(on);
      }
      return { from, to };
    });
    await sharedLook.afterChange(ns);
    return changed;
  };

  /** What this process last published, and under which name. */
  let lastReport: { readonly owner: string; readonly keys: SignsWith } | undefined;
  const signWith = async (keys: SignsWith): Promise<SignsWith> => {
    const owner = await owners.self();
    const others = (await database.read((on) => sql.holders.all(on, {}))).filter((holder) => holder.owner !== owner);
    const dead = await owners.dead(others.map((holder) => holder.owner));
    const inForce = await database.write({ everywhere: 'key holders' }, async (on) => {
      for (const gone of dead) await sql.forget.run(on, { owner: gone });
      const left = (await sql.holders.all(on, {})).filter((holder) => holder.owner !== owner);
      const different = left.find((holder) => !signsWithSame(holder.signs_with, keys));
      if (different !== undefined) return different.signs_with;
      await sql.hold.run(on, { owner, signs_with: encode(keys) });
      return keys;
    });
    if (inForce === keys) lastReport = { owner, keys };
    return inForce;
  };
  /** Publishes again when the name of this process has changed. Does not delay the caller. */
  const sayAgainAsRenamed = () => {
    if (lastReport === undefined || lastReport.owner === owners.lastSelf) return;
    const { keys } = lastReport;
    lastReport = undefined;
    signWith(keys).then(
      (inForce) => {
        if (inForce !== keys)
          log.error('other stacks on this store switched to other signing keys while PostgreSQL was unreachable');
      },
      (error: unknown) => {
        lastReport ??= { owner: '', keys };
        log.debug({ err: error }, 'this process could not report its signing key to the store');
      },
    );
  };

  return {
    current: () => {
      sayAgainAsRenamed();
      return cached.keysOf(ns);
    },
    begin: async (first) => (await change((present) => present ?? startWith(first))).to,
    rotate: async (drawn, rule) => {
      const { from, to } = await change((present) =>
        present === undefined ? startWith(drawn) : rotateKeptKeys(present, drawn, rule),
      );
      return { from: from ?? to, to };
    },
    announce: async (after, drawn) =>
      (await change((present) => announceNextKey(present ?? startWith(drawn), after, drawn))).to,
    signWith,
  };
}

function startWith(first: KeptKeys['active']): KeptKeys {
  return { active: first, previous: [], next: undefined };
}
