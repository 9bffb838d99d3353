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

const rateTextsHere = {
  ...rateTexts,
  purge: purgeOf('rate_windows'),
};

export function rateCountersAdapter({ database, ns }: NamespaceContext): RateCounters {
  const sql = database.prepare(rateTextsHere);
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

export function sharedSecretsAdapter({ database, ns }: NamespaceContext): SharedSecrets {
  // A secret never changes once made, so each is read once.
  const known = new Map<string, string>();
  const sql = database.prepare(secretTexts);
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

const authnRequestTextsHere = {
  ...authnRequestTexts,
  purge: purgeOf('verified_authn_requests'),
};

export function verifiedAuthnRequestsAdapter({ database, ns }: NamespaceContext): VerifiedAuthnRequests {
  const sql = database.prepare(authnRequestTextsHere);
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
