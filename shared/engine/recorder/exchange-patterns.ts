// Requests that were made before, word for word, and answered alike but for their tokens: what was worked out of one of
// them holds for the next one, too (REC-08). Such a request is known by a digest, and of its answer what is no token. On a
// connection that is kept the last one is known by itself, as long as the connection is open: that costs a tenth.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { NewExchange } from '#shared/model/domain/exchange.ts';
import type { AnsweredToken, ExchangeAlike, ExchangeMoment } from '#shared/model/domain/exchange-alike.ts';
import { type AnswerPattern, answerPattern, tokensLike } from './answer-pattern.ts';
import type { Fingerprints } from './fingerprints.ts';
import { type HeaderValues, isSame } from './header-lists.ts';
import { digestOfWords, hasSameWords, type RequestWords } from './request-words.ts';

const patternsMax = 32;

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
  readonly answer: AnswerPattern;
}

/** What an exchange says that is like one before it; its tokens are looked into when it is written. */
type Alike = () => ExchangeAlike;

interface LastRequest {
  readonly of: ExchangePatterns;
  readonly words: RequestWords;
  readonly pattern: Pattern;
}

const ofNamespaces = new WeakMap<Fingerprints, ExchangePatterns>();
const lastOfConnections = new WeakMap<object, LastRequest>();

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

  /** Like the request before it on its connection; undefined: it is not, or none has been seen there. */
  likeLast(connection: object, words: RequestWords, outcome: Outcome, moment: () => ExchangeMoment): Alike | undefined {
    const last = lastOfConnections.get(connection);
    if (last === undefined || last.of !== this || !hasSameWords(last.words, words)) return undefined;
    return this.#alike(last.pattern, outcome, moment);
  }

  /** Like any that came before; undefined: like none. */
  likeAny(
    connection: object,
    words: RequestWords,
    outcome: Outcome,
    moment: () => ExchangeMoment,
  ): { readonly alike: Alike | undefined; remember(whole: NewExchange): void } | undefined {
    const key = digestOfWords(words, this.#fingerprints);
    if (key === undefined) return undefined;
    const pattern = this.#patterns.get(key);
    const alike = pattern && this.#alike(pattern, outcome, moment);
    if (pattern !== undefined && alike !== undefined) {
      lastOfConnections.set(connection, { of: this, words, pattern });
    }
    return { alike, remember: (whole) => this.#remember(key, outcome, whole) };
  }

  #alike(pattern: Pattern, outcome: Outcome, moment: () => ExchangeMoment): Alike | undefined {
    if (!hasOutcome(pattern, outcome)) return undefined;
    const tokens = tokensLike(pattern.answer, outcome.reply);
    if (tokens === undefined) return undefined;
    const [{ like }, then] = [pattern, moment()];
    return () => ({ like, moment: then, tokens: tokens.map((token) => this.#answered(token)) });
  }

  /** `whole`: what was made of a request that was like nothing before. */
  #remember(key: string, { reply, furtherHeaders, event }: Outcome, whole: NewExchange): void {
    if (!this.#patterns.has(key)) {
      if (this.#patterns.size >= patternsMax) this.#patterns.clear();
      this.#patterns.set(key, undefined);
      return;
    }
    const answer = holdsAgain(whole, reply) ? answerPattern(whole, reply) : undefined;
    if (answer === undefined) return;
    const { status, headers, noStore } = reply;
    // A name may be a part of a whole body.
    const told =
      event && structuredClone({ status: event.status, username: event.username, client_id: event.client_id });
    const like = apart(whole);
    this.#patterns.set(key, { like, status, headers, noStore, furtherHeaders, event: told, answer });
  }

  #answered(token: string): AnsweredToken {
    return { fingerprint: this.#fingerprints.of(token), unsigned: token.slice(0, token.lastIndexOf('.')) };
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

/** A copy that keeps none of the texts alive from which its own were cut: those have signatures. */
function apart(whole: NewExchange): NewExchange {
  return structuredClone(whole);
}
