// State that front ends share in addition to grants and identities: rate windows, shared secrets, the signed redirect requests
// of a browser, and the last Response to each SAML service provider.
import * as z from 'zod';
import { deliveredResponsesMax, isKeptAsDelivered } from '#shared/model/domain/delivered-response.ts';
import { countRequest } from '#shared/model/domain/rate-window.ts';
import {
  endOfMemory,
  type RememberedRequest,
  recallAuthnRequest,
  rememberAuthnRequest,
} from '#shared/model/domain/verified-authn-requests.ts';
import { encode, encoded, instantColumn } from '../json-columns.ts';
import type { DeliveredResponses, RateCounters, SharedSecrets, VerifiedAuthnRequests } from '../ports/coordination.ts';
import { command, query, removeBeyond, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const rateTexts = ({ purge }: Dialect) =>
  ({
    purge: purge('rate_windows'),
    find: query(
      'SELECT started_at, expires_at, requests FROM rate_windows WHERE namespace = @ns AND bucket = @bucket',
      z.object({ started_at: instantColumn, expires_at: instantColumn, requests: z.number() }),
    ),
    store: command(
      `INSERT INTO rate_windows (namespace, bucket, started_at, expires_at, requests)
       VALUES (@ns, @bucket, @started_at, @expires_at, @requests)
       ON CONFLICT (namespace, bucket) DO UPDATE SET
         started_at = excluded.started_at, expires_at = excluded.expires_at, requests = excluded.requests`,
    ),
  }) satisfies StatementTexts;

export function rateCounters({ ns, prepare, write }: OperationContext): RateCounters {
  const sql = prepare(rateTexts);
  return {
    count: (bucket, limit, windowSeconds, now) =>
      write(`rate ${bucket}`, function* () {
        const row = yield* sql.find.get({ ns, bucket });
        const window = row && { startedAt: row.started_at, endsAt: row.expires_at, requests: row.requests };
        const counted = countRequest(window, limit, windowSeconds, now);
        if ('retryAfterSeconds' in counted) return counted.retryAfterSeconds;
        const { startedAt, endsAt, requests } = counted.window;
        if (requests === 1) sql.purge.put({ ns, now });
        sql.store.put({ ns, bucket, started_at: startedAt, expires_at: endsAt, requests });
        return undefined;
      }),
  };
}

const secretTexts = () =>
  ({
    find: query(
      'SELECT secret FROM shared_secrets WHERE namespace = @ns AND name = @name',
      z.object({ secret: z.string() }),
    ),
    add: command('INSERT INTO shared_secrets (namespace, name, secret) VALUES (@ns, @name, @secret)'),
  }) satisfies StatementTexts;

export function sharedSecrets({ ns, prepare, read, write }: OperationContext): SharedSecrets {
  // A secret never changes, so each is read once.
  const known = new Map<string, string>();
  const sql = prepare(secretTexts);

  function* find(name: string): Work<string | undefined> {
    return (yield* sql.find.get({ ns, name }))?.secret;
  }

  return {
    get: async (name, create) => {
      const cached = known.get(name);
      if (cached !== undefined) return cached;
      const secret =
        (await read(() => find(name))) ??
        (await write(`secret ${name}`, function* () {
          const present = yield* find(name);
          if (present !== undefined) return present;
          const created = create();
          sql.add.put({ ns, name, secret: created });
          return created;
        }));
      known.set(name, secret);
      return secret;
    },
  };
}

const authnRequestTexts = ({ purge }: Dialect) =>
  ({
    purge: purge('verified_authn_requests'),
    find: query(
      'SELECT remembered FROM verified_authn_requests WHERE namespace = @ns AND browser = @browser',
      z.object({ remembered: encoded(z.array(z.object({ digest: z.string(), until: instantColumn })).readonly()) }),
    ),
    store: command(
      `INSERT INTO verified_authn_requests (namespace, browser, remembered, expires_at)
       VALUES (@ns, @browser, @remembered, @expires_at)
       ON CONFLICT (namespace, browser) DO UPDATE SET
         remembered = excluded.remembered, expires_at = excluded.expires_at`,
    ),
  }) satisfies StatementTexts;

export function verifiedAuthnRequests({ ns, prepare, write }: OperationContext): VerifiedAuthnRequests {
  const sql = prepare(authnRequestTexts);

  function* stored(browser: string): Work<readonly RememberedRequest[]> {
    return (yield* sql.find.get({ ns, browser }))?.remembered ?? [];
  }
  const store = (browser: string, remembered: readonly RememberedRequest[]) =>
    sql.store.put({ ns, browser, remembered: encode(remembered), expires_at: endOfMemory(remembered) ?? 0 });

  return {
    record: (browser, digest, now) =>
      write(`authn requests ${browser}`, function* () {
        sql.purge.put({ ns, now });
        store(browser, rememberAuthnRequest(yield* stored(browser), digest, now));
      }),
    recall: (browser, digest, now) =>
      write(`authn requests ${browser}`, function* () {
        const remembered = recallAuthnRequest(yield* stored(browser), digest, now);
        if (remembered !== undefined) store(browser, remembered);
        return remembered !== undefined;
      }),
  };
}

const responseTexts = () =>
  ({
    find: query(
      'SELECT document FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp',
      z.object({ document: z.string() }),
    ),
    remove: command('DELETE FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp'),
    insert: command(
      'INSERT INTO delivered_responses (namespace, service_provider, document) VALUES (@ns, @sp, @document)',
    ),
    removeBeyondMax: removeBeyond('delivered_responses', deliveredResponsesMax),
  }) satisfies StatementTexts;

export function deliveredResponses({ ns, prepare, read, batch }: OperationContext): DeliveredResponses {
  const sql = prepare(responseTexts);
  return {
    record: async (sp, document) => {
      const insertion = [sql.insert.bound({ ns, sp, document }), sql.removeBeyondMax.bound({ ns })];
      const isKept = isKeptAsDelivered(document);
      await batch('delivered_responses', () => [sql.remove.bound({ ns, sp }), ...(isKept ? insertion : [])]);
    },
    last: (sp) =>
      read(function* () {
        return (yield* sql.find.get({ ns, sp }))?.document;
      }),
  };
}
