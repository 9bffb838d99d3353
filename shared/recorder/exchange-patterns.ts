// Requests that were made before, word for word, and answered alike but for their tokens: what was worked out of one of
// them holds for the next one, too (REC-08). Nothing secret is kept: a request is known by its digest, and of an answer
// the text around its tokens.
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { NewExchange } from '#shared/domain/exchange.ts';
import {
  type AnsweredToken,
  type ExchangeAlike,
  type ExchangeMoment,
  isAnswered,
} from '#shared/domain/exchange-alike.ts';
import type { Reply } from '#shared/http/reply.ts';
import type { Fingerprints } from './fingerprints.ts';
import { type HeaderValues, isSame } from './header-lists.ts';
import { looksLikeJwt, withoutSignature } from './what-is-secret.ts';

const patternsMax = 32;
const requestCharactersMax = 4096;
const answerCharactersMax = 4096;

/** What an exchange is made of, beside the words of its request and its moment. */
export interface Outcome {
  readonly reply: Reply;
  readonly furtherHeaders: HeaderValues;
  readonly event: Pick<AuditEvent, 'status' | 'username' | 'client_id'> | undefined;
}

interface Pattern {
  readonly like: NewExchange;
  readonly status: number;
  readonly headers: HeaderValues;
  readonly noStore: boolean | undefined;
  readonly furtherHeaders: HeaderValues;
  readonly event: Outcome['event'];
  /** Of the answer's text what stood before, between and after its tokens. */
  readonly around: readonly string[];
}

const ofNamespaces = new WeakMap<Fingerprints, ExchangePatterns>();

/** Those of a namespace. */
export function exchangePatterns(fingerprints: Fingerprints): ExchangePatterns {
  let patterns = ofNamespaces.get(fingerprints);
  if (patterns === undefined) {
    patterns = new ExchangePatterns(fingerprints);
    ofNamespaces.set(fingerprints, patterns);
  }
  return patterns;
}

class ExchangePatterns {
  readonly #fingerprints: Fingerprints;
  /** undefined: such a request came once. Most never come again. */
  readonly #patterns = new Map<string, Pattern | undefined>();

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  /** By what a request with these words is known; undefined: it is too long to be looked for. */
  keyOf(words: string): string | undefined {
    return words.length > requestCharactersMax ? undefined : this.#fingerprints.digestOf(words);
  }

  /** undefined: nothing like it came before. */
  alike(key: string, outcome: Outcome, moment: ExchangeMoment): ExchangeAlike | undefined {
    const pattern = this.#patterns.get(key);
    if (pattern === undefined || !hasOutcome(pattern, outcome)) return undefined;
    const tokens = tokensBetween(pattern.around, outcome.reply.body);
    return tokens && { like: pattern.like, moment, tokens: tokens.map((token) => this.#answered(token)) };
  }

  /** `whole`: what was made of a request that was like nothing before. */
  remember(key: string, { reply, furtherHeaders, event }: Outcome, whole: NewExchange): void {
    if (!this.#patterns.has(key)) {
      if (this.#patterns.size >= patternsMax) this.#patterns.clear();
      this.#patterns.set(key, undefined);
      return;
    }
    const around = holdsAgain(whole, reply) ? textAroundTokens(whole, reply.body) : undefined;
    if (around === undefined) return;
    const { status, headers, noStore } = reply;
    // A name may be a part of a whole body.
    const told =
      event && structuredClone({ status: event.status, username: event.username, client_id: event.client_id });
    this.#patterns.set(key, {
      like: apart(whole),
      status,
      headers,
      noStore,
      furtherHeaders,
      event: told,
      around,
    });
  }

  #answered(token: string): AnsweredToken {
    return { fingerprint: this.#fingerprints.of(token), unsigned: withoutSignature(token) ?? '' };
  }
}

function hasOutcome(pattern: Pattern, { reply, furtherHeaders, event }: Outcome): boolean {
  return (
    reply.status === pattern.status &&
    reply.noStore === pattern.noStore &&
    event?.status === pattern.event?.status &&
    event?.username === pattern.event?.username &&
    event?.client_id === pattern.event?.client_id &&
    isSame(pattern.furtherHeaders, furtherHeaders) &&
    isSame(pattern.headers, reply.headers)
  );
}

/** Why something was refused is told by more than its outcome, and what an answer makes is its own. */
function holdsAgain({ decision, keys, secrets }: NewExchange, { stream, delivery }: Reply): boolean {
  return (
    decision === 'accepted' &&
    keys.made.length === 0 &&
    secrets === undefined &&
    stream === undefined &&
    delivery === undefined
  );
}

/**
 * Found in what is shown of the answer, so that an answer of which anything else is shown otherwise than it was sent has
 * none: another secret, a value that is too long, another spelling of JSON.
 */
function textAroundTokens({ said }: NewExchange, body: Reply['body']): readonly string[] | undefined {
  const shown = JSON.stringify(said.answer);
  if (shown.length > answerCharactersMax) return undefined;
  const around: string[] = [];
  const names = new Set<string>();
  const unsigned: string[] = [];
  let from = 0;
  for (const one of said.decoded) {
    if (one.in !== 'answer') continue;
    const fingerprint = Object.hasOwn(said.answer, one.name) ? said.answer[one.name] : undefined;
    const start = typeof fingerprint === 'string' ? shown.indexOf(`"${fingerprint}"`, from) + 1 : 0;
    if (!isAnswered(one) || typeof fingerprint !== 'string' || start === 0 || names.has(one.name)) return undefined;
    around.push(shown.slice(from, start));
    names.add(one.name);
    unsigned.push(one.unsigned);
    from = start + fingerprint.length;
  }
  around.push(shown.slice(from));
  const tokens = tokensBetween(around, body);
  return tokens?.every((token, index) => withoutSignature(token) === unsigned[index]) === true ? around : undefined;
}

/** undefined: the text is another one, or something else than tokens stands there. */
function tokensBetween(around: readonly string[], text: Reply['body']): readonly string[] | undefined {
  if (typeof text !== 'string') return undefined;
  const tokens: string[] = [];
  const last = around.length - 1;
  let from = 0;
  for (let index = 0; index < last; index += 1) {
    const before = around[index] ?? '';
    const start = from + before.length;
    const end = text.indexOf('"', start);
    if (end < 0 || !text.startsWith(before, from)) return undefined;
    const token = text.slice(start, end);
    if (!looksLikeJwt(token) || withoutSignature(token) === undefined) return undefined;
    tokens.push(token);
    from = end;
  }
  const rest = around[last] ?? '';
  return text.length === from + rest.length && text.endsWith(rest) ? tokens : undefined;
}

/** A copy that keeps none of the texts alive from which its own were cut: those have signatures. */
function apart(whole: NewExchange): NewExchange {
  return structuredClone(whole);
}
