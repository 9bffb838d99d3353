// What was said in one exchange, as it may be kept: every secret becomes its fingerprint, every value is bounded, and
// what tokens and SAML messages say of themselves stands beside (REC-04, REC-05, REC-11). Nothing here throws for what
// somebody sent.

import { maskAddresses } from '#shared/base/secrets/mask-addresses.ts';
import {
  boundedText,
  type Decoded,
  type HeadersJustNow,
  type NamedText,
  type SaidJustNow,
} from '#shared/model/domain/exchange.ts';
import {
  isSecretInAddress,
  isSecretName,
  looksLikeJwt,
  withoutSignature,
} from '#shared/model/secrets/what-is-secret.ts';
import type { Fingerprints } from './fingerprints.ts';
import { type HeaderValues, knownHeaders, rememberHeaders } from './header-lists.ts';
import { lookIntoSamlBody, lookIntoSamlParameter } from './look-into-saml.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

/** What was said as it was said. */
export interface Spoken {
  readonly parameters: Pairs;
  readonly requestHeaders: HeaderValues;
  readonly responseHeaders: HeaderValues;
  /** The members of the answer: of its JSON object, of the address it leads to, of the form that it posts. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** A SOAP message in the place of parameters, and of an answer. */
  readonly soap?: { readonly request: Buffer; readonly answer: string | undefined } | undefined;
}

interface WithoutSecrets {
  readonly said: SaidJustNow;
  readonly headers: HeadersJustNow;
  /** Whole values by their fingerprints, of those that are secret, where they are to be kept. */
  readonly secrets: Readonly<Record<string, string>> | undefined;
}

const nestingMax = 4;
const membersMax = 100;

export function withoutSecrets(spoken: Spoken, fingerprints: Fingerprints, keepsSecrets: boolean): WithoutSecrets {
  return new Shaping(fingerprints, keepsSecrets).shape(spoken);
}

class Shaping {
  readonly #fingerprints: Fingerprints;
  readonly #secrets: Record<string, string> | undefined;
  readonly #decoded: SaidJustNow['decoded'][number][] = [];
  /** How many values were found to be secret. */
  #found = 0;

  constructor(fingerprints: Fingerprints, keepsSecrets: boolean) {
    this.#fingerprints = fingerprints;
    this.#secrets = keepsSecrets ? {} : undefined;
  }

  shape({ parameters, requestHeaders, responseHeaders, answer, soap }: Spoken): WithoutSecrets {
    const shownParameters = parameters.slice(0, membersMax).map(([name, value]) => ({
      name: boundedText(name),
      value: this.#text(name, value, 'parameters'),
    }));
    const request = this.#headers(requestHeaders, 'request_headers');
    const shownAnswer = this.#members(answer, nestingMax);
    const response = this.#headers(responseHeaders, undefined);
    if (soap !== undefined) this.#soap(soap);
    return {
      said: { parameters: shownParameters, answer: shownAnswer, decoded: this.#decoded },
      headers: { request, response },
      secrets: this.#secrets,
    };
  }

  /** The fingerprint that stands for a value from now on. */
  #secret(value: string): string {
    const fingerprint = this.#fingerprints.of(value);
    this.#found += 1;
    if (this.#secrets !== undefined) this.#secrets[fingerprint] = value;
    return fingerprint;
  }

  #text(name: string, value: string, place: Decoded['in']): string {
    if (value === '') return value;
    if (name === 'SAMLRequest' || name === 'SAMLResponse') {
      const saml = lookIntoSamlParameter(value);
      if (saml !== undefined) this.#decoded.push({ name, in: place, saml });
      return name === 'SAMLResponse' ? this.#secret(value) : boundedText(value);
    }
    const isJwt = looksLikeJwt(value);
    if (!isJwt && !isSecretName(name)) return boundedText(this.#addresses(value));
    const unsigned = isJwt ? withoutSignature(value) : undefined;
    if (unsigned !== undefined) this.#decoded.push({ name, in: place, unsigned });
    return this.#secret(value);
  }

  #members(object: Readonly<Record<string, unknown>>, nesting: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    let count = 0;
    for (const [name, value] of Object.entries(object)) {
      if (count === membersMax) break;
      count += 1;
      define(members, boundedText(name), this.#value(name, value, nesting));
    }
    return members;
  }

  #value(name: string, value: unknown, nesting: number): unknown {
    if (typeof value === 'string') return this.#text(name, value, 'answer');
    if (typeof value !== 'object' || value === null) return value;
    if (nesting === 0) return '…';
    if (Array.isArray(value)) {
      return value.slice(0, membersMax).map((entry: unknown) => this.#value(name, entry, nesting - 1));
    }
    return this.#members({ ...value }, nesting - 1);
  }

  /** As JSON of named texts. */
  #headers(headers: HeaderValues, place: Decoded['in'] | undefined): string {
    const isPlain = this.#secrets === undefined;
    const known = isPlain ? knownHeaders(headers, this.#fingerprints) : undefined;
    if (known !== undefined) return known;
    const found = this.#found;
    const shown: NamedText[] = [];
    for (const [name, values] of Object.entries(headers)) {
      if (values === undefined) continue;
      for (const value of typeof values === 'string' ? [values] : values) {
        shown.push({ name, value: boundedText(this.#header(name.toLowerCase(), value, place)) });
      }
    }
    const text = JSON.stringify(shown);
    if (isPlain && this.#found === found) rememberHeaders(headers, text, this.#fingerprints);
    return text;
  }

  #header(name: string, value: string, place: Decoded['in'] | undefined): string {
    switch (name) {
      case 'authorization':
      case 'proxy-authorization':
        return this.#credentials(name, value, place ?? 'request_headers');
      case 'dpop':
        return this.#text(name, value, place ?? 'request_headers');
      case 'cookie':
        return value
          .split(';')
          .map((cookie) => this.#cookie(cookie.trim()))
          .join('; ');
      case 'set-cookie': {
        const [cookie = '', ...attributes] = value.split(';');
        return [this.#cookie(cookie), ...attributes].join(';');
      }
      case 'location':
      case 'referer':
        return this.#addresses(value);
      default:
        return isSecretName(name) || looksLikeJwt(value) ? this.#secret(value) : value;
    }
  }

  /** The scheme stands. */
  #credentials(name: string, value: string, place: Decoded['in']): string {
    const space = value.indexOf(' ');
    if (space < 0) return this.#secret(value);
    const scheme = value.slice(0, space);
    const credentials = value.slice(space + 1).trim();
    if (looksLikeJwt(credentials)) return `${scheme} ${this.#text(name, credentials, place)}`;
    return `${scheme} ${this.#secret(credentials)}`;
  }

  #cookie(cookie: string): string {
    const equals = cookie.indexOf('=');
    if (equals < 0) return cookie === '' ? '' : this.#secret(cookie);
    const value = cookie.slice(equals + 1);
    return `${cookie.slice(0, equals)}=${value === '' ? '' : this.#secret(value)}`;
  }

  /** Addresses stand as sent but for the secrets in them. */
  #addresses(text: string): string {
    return maskAddresses(text, (value, name) => (isSecretInAddress(name, value) ? this.#secret(value) : undefined));
  }

  #soap({ request, answer }: NonNullable<Spoken['soap']>): void {
    const asked = lookIntoSamlBody(request);
    if (asked !== undefined) this.#decoded.push({ name: 'body', in: 'parameters', saml: asked });
    const answered = answer === undefined ? undefined : lookIntoSamlBody(Buffer.from(answer));
    if (answered !== undefined) this.#decoded.push({ name: 'body', in: 'answer', saml: answered });
  }
}

/** Somebody's `__proto__` is a member like any other. */
function define(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(members, name, { value, enumerable: true, configurable: true });
  else members[name] = value;
}
