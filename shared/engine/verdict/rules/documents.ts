// How a client gets the key set and the discovery document (VER-K26 to VER-K28). Such requests name no client. One is
// evidence against a client only if no other client can have sent it, and evidence in its favour if it may have sent it.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { oidc, oidcDiscovery } from '#shared/model/refusals/references.ts';
import {
  answered,
  type ClientHistory,
  fetchesOfAllClients,
  fetchesOwn,
  fetchesPerhapsOwn,
  memberOf,
  tokenRequests,
} from '../client-history.ts';
import type { Occasion, VerdictRule } from '../verdict-rule.ts';

const fetchesMax = 5;
const tokensBetweenMin = 2;
const refetchMilliseconds = 10_000;
/** Equal requests within this time are one exchange (REC-10). */
const togetherMilliseconds = 1000;
/** The tokens that a client has to verify; an access token is for the API. */
const forClients: ReadonlySet<string> = new Set(['id_token']);
/** The tokens that a client may verify as well; a refresh token is for the server alone. */
const forAnybody: ReadonlySet<string> = new Set([...forClients, 'access_token']);

export const documentRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K26',
    id: 'jwks_every_time',
    severity: 'warning',
    title: 'Key set fetched too often',
    standard: oidc('10.1.1'),
    remedy: 'Cache the key set, and fetch it again when a token names a kid that it lacks.',
    occasions: (history) => {
      const fetches = fetchesOwn(history, 'jwks').filter(({ status }) => status === 200);
      return rowsOf(fetches, history).flatMap((row): Occasion[] => {
        const at = row.at(-1);
        if (at === undefined) return [];
        const detail = `The key set was fetched ${row.length} times in a row, with fewer than ${tokensBetweenMin} tokens in between and no new kid.`;
        return [{ at, breach: row.length > fetchesMax ? { detail, beside: [...new Set(row)] } : undefined }];
      });
    },
  },
  {
    clause: 'VER-K27',
    id: 'jwks_not_refetched',
    severity: 'warning',
    title: 'Key set not fetched for a new key',
    standard: oidc('10.1.1'),
    remedy: 'Fetch the key set again as soon as a token names a kid that the cached one lacks.',
    occasions: (history) => {
      const fetches = fetchesOwn(history, 'jwks');
      const anybodys = fetchesOfAllClients(history, 'jwks');
      return tokensWithNewKid(history, fetches, forClients).flatMap((at): Occasion[] => {
        const before = fetches.findLast(({ id }) => id < at.id);
        if (before === undefined) return [];
        const isFetched = anybodys.some(
          (fetch) =>
            (fetch.id > at.id && fetch.at - at.at <= refetchMilliseconds) ||
            (fetch.repeated > 1 && fetch.id < at.id && at.at - fetch.at <= togetherMilliseconds),
        );
        if (isFetched) return [{ at }];
        // The client still has time.
        if (history.now - at.at <= refetchMilliseconds) return [];
        const detail = 'The client did not fetch the key set within 10 s of an ID token with a new kid.';
        return [{ at, breach: { detail, beside: [before] } }];
      });
    },
  },
  {
    clause: 'VER-K28',
    id: 'discovery_not_used',
    severity: 'advice',
    title: 'Neither discovery nor key set fetched',
    standard: oidcDiscovery('4'),
    remedy:
      'Configure only the issuer and read the rest from its discovery document, so that addresses and keys can change.',
    occasions: (history) => {
      const tokens = answeredTokens(history);
      const last = tokens.at(-1);
      if (last === undefined) return [];
      if (documents.some((document) => fetchesPerhapsOwn(history, document).length > 0)) return [{ at: last }];
      // The client may have used another library than for its token requests, or fetched before the stored exchanges
      // begin.
      const isFetched = documents.some((document) => fetchesOfAllClients(history, document).length > 0);
      if (!history.isWhole || isFetched) return [];
      const detail = 'Tokens were issued, but no recorded request fetched the discovery document or the key set.';
      return [{ at: last, breach: { detail, beside: tokens.slice(0, -1) } }];
    },
  },
];

const documents = ['discovery', 'jwks'] as const;

function answeredTokens(history: ClientHistory): readonly KeptExchange[] {
  return tokenRequests(history).filter((request) => answered(request, 'access_token') !== undefined);
}

/**
 * Series of fetches with too few tokens between them. An exchange that represents several fetches appears that many
 * times.
 */
function rowsOf(fetches: readonly KeptExchange[], history: ClientHistory): readonly (readonly KeptExchange[])[] {
  if (fetches.length === 0) return [];
  const tokens = answeredTokens(history);
  const newKids = new Set(tokensWithNewKid(history, fetches, forAnybody).map(({ id }) => id));
  const isFetch = new Set(fetches.map(({ id }) => id));
  const isToken = new Set(tokens.map(({ id }) => id));
  const rows: KeptExchange[][] = [];
  let row: KeptExchange[] = [];
  let tokensSince = 0;
  let isExcused = true;
  for (const exchange of history.surroundings) {
    const { id } = exchange;
    if (isToken.has(id)) tokensSince += 1;
    if (newKids.has(id) || history.faulty.has(id)) isExcused = true;
    if (!isFetch.has(id)) continue;
    if (isExcused || tokensSince >= tokensBetweenMin) {
      row = [];
      rows.push(row);
    }
    row.push(exchange);
    // Several fetches within a second: the tokens of that second are assumed to be evenly distributed between them.
    const further = exchange.repeated - 1;
    if (further > 0) {
      const together = tokens.filter(({ at }) => at >= exchange.at && at - exchange.at < togetherMilliseconds).length;
      if (together < further * tokensBetweenMin) row.push(...Array.from({ length: further }, () => exchange));
    }
    tokensSince = 0;
    isExcused = history.faulty.has(id);
  }
  return rows;
}

/**
 * The first token of each kid that is in no earlier fetched key set and in no earlier token. The very first kid is left
 * out.
 */
function tokensWithNewKid(
  history: ClientHistory,
  fetches: readonly KeptExchange[],
  verifiable: ReadonlySet<string>,
): readonly KeptExchange[] {
  const steps = [...answeredTokens(history), ...fetches].sort((one, other) => one.id - other.id);
  const known = new Set<string>();
  return steps.filter((step) => {
    const kids = step.endpoint === 'jwks' ? kidsOfSet(step) : kidsOfTokens(step, verifiable);
    const isNew = step.endpoint !== 'jwks' && known.size > 0 && kids.some((kid) => !known.has(kid));
    for (const kid of kids) known.add(kid);
    return isNew;
  });
}

function kidsOfTokens({ content }: KeptExchange, verifiable: ReadonlySet<string>): readonly string[] {
  return content.decoded.flatMap((one) => {
    const kid = one.in === 'answer' && verifiable.has(one.name) ? memberOf(one.jwt?.header, 'kid') : undefined;
    return typeof kid === 'string' ? [kid] : [];
  });
}

function kidsOfSet({ content: { answer } }: KeptExchange): readonly string[] {
  const keys = Array.isArray(answer.keys) ? answer.keys : [];
  return keys.flatMap((key: unknown) => {
    const kid = memberOf(key, 'kid');
    return typeof kid === 'string' ? [kid] : [];
  });
}
