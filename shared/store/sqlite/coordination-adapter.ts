// What frontends must agree on besides grants and identities: rate windows, shared secrets, and the signed redirect
// requests a browser is known to have sent.
import * as z from 'zod';
import { plusSeconds } from '#shared/clock.ts';
import type { RateCounters, SharedSecrets, VerifiedAuthnRequests } from '../ports/coordination.ts';
import { type NamespaceContext, purger } from './namespace.ts';

const windowRow = z.object({ started_at: z.number(), expires_at: z.number(), requests: z.number() });
const secretRow = z.object({ secret: z.string() });

/** SAM-29. */
const verifiedRequestMemorySeconds = 600;
const verifiedRequestsOfBrowserMax = 10;

export function rateCountersAdapter(context: NamespaceContext): RateCounters {
  const { database, ns } = context;
  const purge = purger(context, 'rate_windows');
  const find = database.query(
    'SELECT started_at, expires_at, requests FROM rate_windows WHERE namespace = @ns AND bucket = @bucket',
    windowRow,
  );
  const open = database.command(
    `INSERT INTO rate_windows (namespace, bucket, started_at, expires_at, requests)
     VALUES (@ns, @bucket, @now, @expires_at, 1)
     ON CONFLICT (namespace, bucket) DO UPDATE SET
       started_at = excluded.started_at, expires_at = excluded.expires_at, requests = 1`,
  );
  const count = database.command(
    'UPDATE rate_windows SET requests = requests + 1 WHERE namespace = @ns AND bucket = @bucket',
  );
  return {
    count: (bucket, limit, windowSeconds, now) =>
      database.write(() => {
        const window = find.get({ ns, bucket });
        const isOpen = window !== undefined && window.started_at <= now && now < window.expires_at;
        if (isOpen && window.requests >= limit) return Math.max(1, Math.ceil((window.expires_at - now) / 1000));
        if (isOpen) {
          count.run({ ns, bucket });
        } else {
          purge(now);
          open.run({ ns, bucket, now, expires_at: plusSeconds(now, windowSeconds) });
        }
        return undefined;
      }),
  };
}

export function sharedSecretsAdapter({ database, ns }: NamespaceContext): SharedSecrets {
  // A secret never changes once made, so each is read once.
  const known = new Map<string, string>();
  const find = database.query('SELECT secret FROM shared_secrets WHERE namespace = @ns AND name = @name', secretRow);
  const add = database.command('INSERT INTO shared_secrets (namespace, name, secret) VALUES (@ns, @name, @secret)');
  return {
    get: async (name, create) => {
      const remembered = known.get(name);
      if (remembered !== undefined) return remembered;
      const secret =
        (await database.read(() => find.get({ ns, name })?.secret)) ??
        (await database.write(() => {
          const made = find.get({ ns, name })?.secret;
          if (made !== undefined) return made;
          const created = create();
          add.run({ ns, name, secret: created });
          return created;
        }));
      known.set(name, secret);
      return secret;
    },
  };
}

export function verifiedAuthnRequestsAdapter(context: NamespaceContext): VerifiedAuthnRequests {
  const { database, ns } = context;
  const purge = purger(context, 'verified_authn_requests');
  const forget = database.command(
    'DELETE FROM verified_authn_requests WHERE namespace = @ns AND browser = @browser AND digest = @digest',
  );
  const add = database.command(
    `INSERT INTO verified_authn_requests (namespace, browser, digest, expires_at)
     VALUES (@ns, @browser, @digest, @expires_at)`,
  );
  const keepNewest = database.command(
    `DELETE FROM verified_authn_requests WHERE namespace = @ns AND browser = @browser AND seq NOT IN
       (SELECT seq FROM verified_authn_requests WHERE namespace = @ns AND browser = @browser
        ORDER BY seq DESC LIMIT ${verifiedRequestsOfBrowserMax})`,
  );
  const renew = database.command(
    `UPDATE verified_authn_requests SET expires_at = @expires_at
     WHERE namespace = @ns AND browser = @browser AND digest = @digest AND expires_at > @now`,
  );
  return {
    remember: (browser, digest, now) =>
      database.write(() => {
        purge(now);
        forget.run({ ns, browser, digest });
        add.run({ ns, browser, digest, expires_at: plusSeconds(now, verifiedRequestMemorySeconds) });
        keepNewest.run({ ns, browser });
      }),
    recall: (browser, digest, now) =>
      database.write(
        () => renew.run({ ns, browser, digest, now, expires_at: plusSeconds(now, verifiedRequestMemorySeconds) }) === 1,
      ),
  };
}
