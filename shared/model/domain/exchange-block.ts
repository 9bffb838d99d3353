// The text in which several exchanges are put down together: what one of them says as another one before it said, it
// does not say again (REC-08).
import type { Instant } from '#shared/base/clock.ts';
import type { HeadersJustNow, NamedText, NewExchange } from './exchange.ts';
import { type ExchangeAlike, type ExchangeMade, exchangeLike, wholeExchange } from './exchange-alike.ts';
import type { ExchangePutDown } from './recorded-exchange.ts';

/** How often it was asked, and by what others are known to repeat it (REC-10). */
export interface Repetitions {
  readonly repeatKey?: string | undefined;
  readonly at: Instant;
  readonly times: number;
  /** When its answer was ready, by `machineMicroseconds`. */
  readonly answered: number;
}

/** One exchange of such a text. A number stands for what that one of them says, which is whole. */
export type ExchangeWritten = Repetitions & (WrittenWhole | WrittenAlike);

interface WrittenWhole {
  readonly exchange: ExchangePutDown['exchange'];
  readonly request_headers: readonly NamedText[] | number;
  readonly response_headers: readonly NamedText[] | number;
}

interface WrittenAlike extends Pick<ExchangeAlike, 'moment' | 'tokens'> {
  readonly like: number;
}

/** The JSON of what is to be put down of several exchanges; `readBlock` reads it. */
export function writeBlock(all: readonly (readonly [made: ExchangeMade, repetitions: Repetitions])[]): string {
  const places = { request: new Map<string, number>(), response: new Map<string, number>() };
  const headersAt = (place: keyof HeadersJustNow, text: string, index: number) => {
    const first = places[place].get(text);
    if (first === undefined) places[place].set(text, index);
    return first ?? text;
  };
  const wholes = new Map<NewExchange, number>();
  let text = '';
  for (const [index, [made, repetitions]] of all.entries()) {
    text += `${index === 0 ? '' : ','}{${membersOf(repetitions)}`;
    if ('like' in made) {
      const like = wholes.get(made.like);
      if (like !== undefined) {
        text += `,"like":${like}${membersOfAlike(made)}}`;
        continue;
      }
      wholes.set(made.like, index);
    }
    const exchange = wholeExchange(made);
    const request = headersAt('request', exchange.headers.request, index);
    const response = headersAt('response', exchange.headers.response, index);
    text += `,"exchange":${JSON.stringify(withoutItsHeaders(exchange))}`;
    text += `,"request_headers":${request},"response_headers":${response}}`;
  }
  return `[${text}]`;
}

// By hand: under load there is one for nearly every request, and JSON.stringify takes eight times as long.
function membersOf({ repeatKey, at, times, answered }: Repetitions): string {
  const repeated = repeatKey === undefined ? '' : `"repeatKey":${JSON.stringify(repeatKey)},`;
  return `${repeated}"at":${at},"times":${times},"answered":${answered}`;
}

function membersOfAlike({ moment, tokens }: ExchangeAlike): string {
  const { at, clock, durationMilliseconds, requestId } = moment;
  const time = `"at":${at},"clock":${clock},"durationMilliseconds":${durationMilliseconds}`;
  let texts = '';
  for (const { fingerprint, unsigned } of tokens) {
    // Of both none has a character that JSON writes otherwise.
    texts += `${texts === '' ? '' : ','}{"fingerprint":"${fingerprint}","unsigned":"${unsigned}"}`;
  }
  return `,"moment":{${time},"requestId":${JSON.stringify(requestId)}},"tokens":[${texts}]`;
}

/** Member by member: what leaves one out with `...` takes as long as the JSON of the rest. */
function withoutItsHeaders(exchange: NewExchange): Omit<NewExchange, 'headers'> {
  return {
    endpoint: exchange.endpoint,
    at: exchange.at,
    clock: exchange.clock,
    durationMilliseconds: exchange.durationMilliseconds,
    method: exchange.method,
    path: exchange.path,
    status: exchange.status,
    clientId: exchange.clientId,
    username: exchange.username,
    sp: exchange.sp,
    grantType: exchange.grantType,
    decision: exchange.decision,
    reason: exchange.reason,
    refusal: exchange.refusal,
    fault: exchange.fault,
    said: exchange.said,
    keys: exchange.keys,
    address: exchange.address,
    requestId: exchange.requestId,
    secrets: exchange.secrets,
  };
}

/** What such a text says, each exchange whole. */
export function readBlock(written: readonly ExchangeWritten[]): readonly (Repetitions & ExchangePutDown)[] {
  const wholeAt = (index: number) => {
    const one = written[index];
    return one === undefined || 'like' in one ? undefined : one;
  };
  const headersOf = (place: 'request_headers' | 'response_headers', value: readonly NamedText[] | number) => {
    const found = typeof value === 'number' ? wholeAt(value)?.[place] : value;
    return typeof found === 'object' ? found : [];
  };
  return written.flatMap((one) => {
    const { repeatKey, at, times, answered } = one;
    const whole = 'like' in one ? wholeAt(one.like) : one;
    if (whole === undefined) return [];
    return {
      ...{ repeatKey, at, times, answered },
      exchange: 'like' in one ? exchangeLike(whole.exchange, one) : whole.exchange,
      request_headers: headersOf('request_headers', whole.request_headers),
      response_headers: headersOf('response_headers', whole.response_headers),
    };
  });
}
