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
import { authnRequestTexts, rateTexts, secretTexts } from '../statements/coordination.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import { prepared, type Runner, type Writer } from './statement.ts';

const rateStatements = prepared({
  ...rateTexts,
  purge: purgeOf('rate_windows'),
});

export function rateCountersAdapter({ database, ns }: NamespaceContext): RateCounters {
  const sql = rateStatements;
  return {
    count: (bucket, limit, windowSeconds, now) =>
      database.write(`rate ${bucket}`, async (on) => {
        const row = await sql.find.get(on, { ns, bucket });
        const window = row && { startedAt: row.started_at, endsAt: row.expires_at, requests: row.requests };
        const counted = countRequest(window, limit, windowSeconds, now);
        if ('retryAfterSeconds' in counted) return counted.retryAfterSeconds;
        const { startedAt, endsAt, requests } = counted.window;
        if (requests === 1) await sql.purge.run(on, { ns, now });
        sql.store.put(on, { ns, bucket, started_at: startedAt, expires_at: endsAt, requests });
        return undefined;
      }),
  };
}

const secretStatements = prepared(secretTexts);

export function sharedSecretsAdapter({ database, ns }: NamespaceContext): SharedSecrets {
  // A secret never changes once made, so each is read once.
  const known = new Map<string, string>();
  const sql = secretStatements;
  return {
    get: async (name, create) => {
      const remembered = known.get(name);
      if (remembered !== undefined) return remembered;
      const secret =
        (await database.read(async (on) => (await sql.find.get(on, { ns, name }))?.secret)) ??
        (await database.write(`secret ${name}`, async (on) => {
          const made = (await sql.find.get(on, { ns, name }))?.secret;
          if (made !== undefined) return made;
          const created = create();
          sql.add.put(on, { ns, name, secret: created });
          return created;
        }));
      known.set(name, secret);
      return secret;
    },
  };
}

const authnRequestStatements = prepared({
  ...authnRequestTexts,
  purge: purgeOf('verified_authn_requests'),
});

export function verifiedAuthnRequestsAdapter({ database, ns }: NamespaceContext): VerifiedAuthnRequests {
  const sql = authnRequestStatements;
  const rememberedBy = async (on: Runner, browser: string) =>
    (await sql.find.get(on, { ns, browser }))?.remembered ?? [];
  const store = async (on: Writer, browser: string, remembered: readonly RememberedRequest[]) => {
    const expires_at = endOfMemory(remembered) ?? 0;
    sql.store.put(on, { ns, browser, remembered: encode(remembered), expires_at });
  };
  return {
    remember: (browser, digest, now) =>
      database.write(`authn requests ${browser}`, async (on) => {
        sql.purge.put(on, { ns, now });
        await store(on, browser, rememberAuthnRequest(await rememberedBy(on, browser), digest, now));
      }),
    recall: (browser, digest, now) =>
      database.write(`authn requests ${browser}`, async (on) => {
        const remembered = recallAuthnRequest(await rememberedBy(on, browser), digest, now);
        if (remembered !== undefined) await store(on, browser, remembered);
        return remembered !== undefined;
      }),
  };
}
