// What frontends must agree on besides grants and identities: rate windows, shared secrets, and the signed redirect
// requests a browser is known to have sent.
import { countRequest } from '#shared/domain/rate-window.ts';
import {
  endOfMemory,
  type RememberedRequest,
  recallAuthnRequest,
  rememberAuthnRequest,
} from '#shared/domain/verified-authn-requests.ts';
import { encode } from '../json-columns.ts';
import type { RateCounters, SharedSecrets, VerifiedAuthnRequests } from '../ports/coordination.ts';
import { rememberedRow, secretRow, windowRow } from '../rows/coordination.ts';
import type { Statements } from './database.ts';
import { type NamespaceContext, purge } from './namespace-context.ts';

const rateStatements = (sql: Statements) => ({
  purge: purge(sql, 'rate_windows'),
  find: sql.query(
    'SELECT started_at, expires_at, requests FROM rate_windows WHERE namespace = @ns AND bucket = @bucket',
    windowRow,
  ),
  store: sql.command(
    `INSERT INTO rate_windows (namespace, bucket, started_at, expires_at, requests)
     VALUES (@ns, @bucket, @started_at, @expires_at, @requests)
     ON CONFLICT (namespace, bucket) DO UPDATE SET
       started_at = excluded.started_at, expires_at = excluded.expires_at, requests = excluded.requests`,
  ),
});

export function rateCountersAdapter({ database, ns }: NamespaceContext): RateCounters {
  const sql = database.prepared(rateStatements);
  return {
    count: (bucket, limit, windowSeconds, now) =>
      database.write(() => {
        const row = sql.find.get({ ns, bucket });
        const window = row && { startedAt: row.started_at, endsAt: row.expires_at, requests: row.requests };
        const counted = countRequest(window, limit, windowSeconds, now);
        if ('retryAfterSeconds' in counted) return counted.retryAfterSeconds;
        const { startedAt, endsAt, requests } = counted.window;
        if (requests === 1) sql.purge.run({ ns, now });
        sql.store.run({ ns, bucket, started_at: startedAt, expires_at: endsAt, requests });
        return undefined;
      }),
  };
}

const secretStatements = (sql: Statements) => ({
  find: sql.query('SELECT secret FROM shared_secrets WHERE namespace = @ns AND name = @name', secretRow),
  add: sql.command('INSERT INTO shared_secrets (namespace, name, secret) VALUES (@ns, @name, @secret)'),
});

export function sharedSecretsAdapter({ database, ns }: NamespaceContext): SharedSecrets {
  // A secret never changes once made, so each is read once.
  const known = new Map<string, string>();
  const sql = database.prepared(secretStatements);
  return {
    get: async (name, create) => {
      const remembered = known.get(name);
      if (remembered !== undefined) return remembered;
      const secret =
        (await database.read(() => sql.find.get({ ns, name })?.secret)) ??
        (await database.write(() => {
          const made = sql.find.get({ ns, name })?.secret;
          if (made !== undefined) return made;
          const created = create();
          sql.add.run({ ns, name, secret: created });
          return created;
        }));
      known.set(name, secret);
      return secret;
    },
  };
}

const authnRequestStatements = (sql: Statements) => ({
  purge: purge(sql, 'verified_authn_requests'),
  find: sql.query(
    'SELECT remembered FROM verified_authn_requests WHERE namespace = @ns AND browser = @browser',
    rememberedRow,
  ),
  store: sql.command(
    `INSERT INTO verified_authn_requests (namespace, browser, remembered, expires_at)
     VALUES (@ns, @browser, @remembered, @expires_at)
     ON CONFLICT (namespace, browser) DO UPDATE SET
       remembered = excluded.remembered, expires_at = excluded.expires_at`,
  ),
});

export function verifiedAuthnRequestsAdapter({ database, ns }: NamespaceContext): VerifiedAuthnRequests {
  const sql = database.prepared(authnRequestStatements);
  const rememberedBy = (browser: string) => sql.find.get({ ns, browser })?.remembered ?? [];
  const store = (browser: string, remembered: readonly RememberedRequest[]) => {
    const expires_at = endOfMemory(remembered) ?? 0;
    sql.store.run({ ns, browser, remembered: encode(remembered), expires_at });
  };
  return {
    remember: (browser, digest, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        store(browser, rememberAuthnRequest(rememberedBy(browser), digest, now));
      }),
    recall: (browser, digest, now) =>
      database.write(() => {
        const remembered = recallAuthnRequest(rememberedBy(browser), digest, now);
        if (remembered !== undefined) store(browser, remembered);
        return remembered !== undefined;
      }),
  };
}
