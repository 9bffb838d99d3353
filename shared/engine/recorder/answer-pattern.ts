// What an answer has to say to be like another one but for its tokens (REC-08).

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { Decoded, NewExchange, UnreadToken } from '#shared/model/domain/exchange.ts';
import { isAnswered } from '#shared/model/domain/exchange-alike.ts';
import { looksLikeJwt, withoutSignature } from '#shared/model/secrets/what-is-secret.ts';

/** The very text; or member by member, in their order, where some are tokens. */
export type AnswerPattern = string | readonly AnsweredMember[];

interface AnsweredMember {
  readonly name: string;
  readonly value: TokenForm | Plain;
}

type Plain = string | number | boolean | null;

/** Where the dots of a token stand: our own differ in nothing else but what they say. */
interface TokenForm {
  readonly headerLength: number;
  readonly signatureLength: number;
}

const charactersMax = 4096;
const dot = '.'.charCodeAt(0);
const none: readonly string[] = [];

/**
 * undefined: anything in the answer is shown otherwise than it was sent that is no token of ours, as another secret, a value
 * that is too long, or another spelling of JSON.
 */
export function answerPattern({ endpoint, said }: NewExchange, { body, json }: Reply): AnswerPattern | undefined {
  if (typeof body !== 'string' || body.length > charactersMax) return undefined;
  const tokens = said.decoded.filter((one) => one.in === 'answer');
  if (tokens.length === 0) return JSON.stringify(said.answer) === body ? body : undefined;
  // Any other may answer with a token that somebody else has made.
  if (endpoint !== 'token' || json?.text !== body || !isObject(json.value)) return undefined;
  const members: AnsweredMember[] = [];
  for (const [name, value] of Object.entries(json.value)) {
    if (value === undefined) continue;
    const shown = Object.hasOwn(said.answer, name) ? said.answer[name] : undefined;
    const token = tokens[0]?.name === name ? tokens.shift() : undefined;
    const wanted = token === undefined ? plainOf(value, shown) : formOf(value, shown, token);
    if (wanted === undefined) return undefined;
    members.push({ name, value: wanted });
  }
  return tokens.length === 0 && Object.keys(said.answer).length === members.length ? members : undefined;
}

/** The tokens of an answer in their order; undefined: it says something else. */
export function tokensLike(pattern: AnswerPattern, { body, json }: Reply): readonly string[] | undefined {
  if (typeof pattern === 'string') return body === pattern ? none : undefined;
  if (json?.text !== body || !isObject(json.value)) return undefined;
  const tokens: string[] = [];
  let index = 0;
  for (const name in json.value) {
    const value = json.value[name];
    // JSON leaves it out.
    if (value === undefined) continue;
    const member = pattern[index];
    if (member === undefined || member.name !== name) return undefined;
    const { value: wanted } = member;
    if (typeof wanted !== 'object' || wanted === null) {
      if (value !== wanted) return undefined;
    } else {
      if (typeof value !== 'string' || !hasForm(value, wanted)) return undefined;
      tokens.push(value);
    }
    index += 1;
  }
  return index === pattern.length ? tokens : undefined;
}

/** undefined: it is shown otherwise than it was sent. */
function plainOf(value: unknown, shown: unknown): Plain | undefined {
  if (value !== shown) return undefined;
  const isPlain =
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? value : undefined;
}

/** undefined: it is no JWT that is looked into. */
function formOf(value: unknown, shown: unknown, token: Decoded | UnreadToken): TokenForm | undefined {
  if (typeof value !== 'string' || typeof shown !== 'string' || !looksLikeJwt(value)) return undefined;
  if (!isAnswered(token) || withoutSignature(value) !== token.unsigned) return undefined;
  return { headerLength: value.indexOf('.'), signatureLength: value.length - value.lastIndexOf('.') - 1 };
}

function hasForm(token: string, { headerLength, signatureLength }: TokenForm): boolean {
  const end = token.length - signatureLength - 1;
  return (
    end > headerLength &&
    token.length < charactersMax &&
    token.charCodeAt(headerLength) === dot &&
    token.charCodeAt(end) === dot
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
