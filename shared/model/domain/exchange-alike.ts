// An exchange that says what another one said, but for its times, its name and the tokens of its answer: a client under
// load sends the same again and again, and no more is put down of it than what differs (REC-08).
import type { Decoded, NewExchange, UnreadToken } from './exchange.ts';

/** When it was, and by what it is found. */
export type ExchangeMoment = Pick<NewExchange, 'at' | 'clock' | 'durationMilliseconds' | 'requestId'>;

/** A token of an answer: how it is shown, and what is decoded of it later. */
export interface AnsweredToken {
  readonly fingerprint: string;
  readonly unsigned: string;
}

export interface ExchangeAlike {
  /** The very same object for all that are alike. */
  readonly like: NewExchange;
  readonly moment: ExchangeMoment;
  /** In the order in which `like` names those of its own: as members of its answer, decoded one after the other. */
  readonly tokens: readonly AnsweredToken[];
}

export type ExchangeMade = NewExchange | ExchangeAlike;

export function wholeExchange(made: ExchangeMade): NewExchange {
  return 'like' in made ? exchangeLike(made.like, made) : made;
}

/** What `like` says, with what differs. */
export function exchangeLike<Like extends Pick<NewExchange, keyof ExchangeMoment | 'said'>>(
  like: Like,
  { moment, tokens }: Omit<ExchangeAlike, 'like'>,
): Like {
  const { at, clock, durationMilliseconds, requestId } = moment;
  const shown = new Map<string, string>();
  const decoded = like.said.decoded.map((one) => {
    const token = isAnswered(one) ? tokens[shown.size] : undefined;
    if (token === undefined) return one;
    shown.set(one.name, token.fingerprint);
    return { ...one, unsigned: token.unsigned };
  });
  const members = Object.entries(like.said.answer).map(([name, value]) => [name, shown.get(name) ?? value] as const);
  const said = { ...like.said, answer: Object.fromEntries(members), decoded };
  return { ...like, at, clock, durationMilliseconds, requestId, said };
}

/** Among what is decoded: a token that the answer carries. */
export function isAnswered(one: Decoded | UnreadToken): one is UnreadToken {
  return one.in === 'answer' && 'unsigned' in one;
}
