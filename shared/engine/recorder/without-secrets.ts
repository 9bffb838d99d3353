// The observed data of one exchange in a form that may be stored. Every secret becomes its fingerprint, and every value
// is bounded. The contents of tokens and SAML messages are decoded beside them (REC-04, REC-05, REC-11). Nothing here
// throws for any input of a client or an endpoint.

import { maskAddresses } from '#shared/base/secrets/mask-addresses.ts';
import { boundedText, type Decoded, type StoredContent } from '#shared/model/domain/exchange.ts';
import {
  isSecretInAddress,
  isSecretName,
  looksLikeJwt,
  withoutSignature,
} from '#shared/model/secrets/what-is-secret.ts';
import type { Fingerprints } from './fingerprints.ts';
import { lookIntoSamlBody, lookIntoSamlParameter } from './look-into-saml.ts';
import type { HeaderValues, ObservedExchange } from './observed-exchange.ts';

interface WithoutSecrets {
  readonly content: StoredContent;
  /** Whole values by their fingerprints, where the settings keep them. */
  readonly secrets: Readonly<Record<string, string>> | undefined;
}

const nestingMax = 4;
const membersMax = 100;

export function withoutSecrets(
  observed: ObservedExchange,
  fingerprints: Fingerprints,
  keepsSecrets: boolean,
): WithoutSecrets {
  return new Masking(fingerprints, keepsSecrets).mask(observed);
}

class Masking {
  readonly #fingerprints: Fingerprints;
  readonly #secrets: Record<string, string> | undefined;
  readonly #decoded: StoredContent['decoded'][number][] = [];

  constructor(fingerprints: Fingerprints, keepsSecrets: boolean) {
    this.#fingerprints = fingerprints;
    this.#secrets = keepsSecrets ? {} : undefined;
  }

  mask({ parameters, requestHeaders, responseHeaders, answer, soap }: ObservedExchange): WithoutSecrets {
    const content = {
      parameters: parameters.slice(0, membersMax).map(([name, value]) => ({
        name: boundedText(name),
        value: this.#text(name, value, 'parameters'),
      })),
      requestHeaders: this.#headers(requestHeaders, 'request_headers'),
      answer: this.#members(answer, nestingMax),
      responseHeaders: this.#headers(responseHeaders, undefined),
      decoded: this.#decoded,
    };
    if (soap !== undefined) this.#soap(soap);
    return { content, secrets: this.#secrets };
  }

  /** The fingerprint that replaces a value. */
  #secret(value: string): string {
    const fingerprint = this.#fingerprints.of(value);
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
    if (looksLikeJwt(value)) return this.#token(name, value, place);
    return isSecretName(name) ? this.#secret(value) : boundedText(this.#addresses(value));
  }

  #token(name: string, jwt: string, place: Decoded['in']): string {
    const unsigned = withoutSignature(jwt);
    if (unsigned !== undefined) this.#decoded.push({ name, in: place, unsigned });
    return this.#secret(jwt);
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

  /** No header has a line break in its value (RFC 9110 §5.5). */
  #headers(headers: HeaderValues, place: Decoded['in'] | undefined): string {
    let lines = '';
    for (const [name, values] of Object.entries(headers)) {
      if (values === undefined) continue;
      for (const value of typeof values === 'string' ? [values] : values) {
        lines += `${lines === '' ? '' : '\n'}${name}: ${boundedText(this.#header(name.toLowerCase(), value, place))}`;
      }
    }
    return lines;
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

  /** The scheme is unchanged. */
  #credentials(name: string, value: string, place: Decoded['in']): string {
    const space = value.indexOf(' ');
    if (space < 0) return this.#secret(value);
    const scheme = value.slice(0, space);
    const credentials = value.slice(space + 1).trim();
    if (looksLikeJwt(credentials)) return `${scheme} ${this.#token(name, credentials, place)}`;
    return `${scheme} ${this.#secret(credentials)}`;
  }

  #cookie(cookie: string): string {
    const equals = cookie.indexOf('=');
    if (equals < 0) return cookie === '' ? '' : this.#secret(cookie);
    const value = cookie.slice(equals + 1);
    return `${cookie.slice(0, equals)}=${value === '' ? '' : this.#secret(value)}`;
  }

  /** Addresses are unchanged except for their secrets. */
  #addresses(text: string): string {
    return maskAddresses(text, (value, name) => (isSecretInAddress(name, value) ? this.#secret(value) : undefined));
  }

  #soap({ request, answer }: NonNullable<ObservedExchange['soap']>): void {
    const query = lookIntoSamlBody(request);
    if (query !== undefined) this.#decoded.push({ name: 'body', in: 'parameters', saml: query });
    const response = answer === undefined ? undefined : lookIntoSamlBody(Buffer.from(answer));
    if (response !== undefined) this.#decoded.push({ name: 'body', in: 'answer', saml: response });
  }
}

/** A member named `__proto__` is an ordinary member. */
function define(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(members, name, { value, enumerable: true, configurable: true });
  else members[name] = value;
}
