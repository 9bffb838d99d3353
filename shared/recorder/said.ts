// What was said in one exchange, as it may be kept: every secret becomes its fingerprint, every value is bounded, and
// what tokens and SAML messages say of themselves stands beside (REC-04, REC-05, REC-11). Nothing here throws for what
// somebody sent.
import { boundedText, type Decoded, type NamedText, type Said } from '#shared/domain/exchange.ts';
import { decodeToken } from '#shared/issuing/verify-token.ts';
import { basicCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import type { Fingerprints } from './fingerprints.ts';
import { lookIntoSamlBody, lookIntoSamlParameter } from './look-into-saml.ts';
import { isSecretName, looksLikeJwt } from './what-is-secret.ts';

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;
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

export interface Shaped {
  readonly said: Said;
  /** Whole values by their fingerprints, of those that are secret. */
  readonly secrets: Readonly<Record<string, string>>;
}

const nestingMax = 4;
const membersMax = 100;
const decodedCharactersMax = 4096;

export function shaped(spoken: Spoken, fingerprints: Fingerprints): Shaped {
  return new Shaping(fingerprints).shape(spoken);
}

class Shaping {
  readonly #fingerprints: Fingerprints;
  readonly #secrets: Record<string, string> = {};
  readonly #decoded: Decoded[] = [];

  constructor(fingerprints: Fingerprints) {
    this.#fingerprints = fingerprints;
  }

  shape({ parameters, requestHeaders, responseHeaders, answer, soap }: Spoken): Shaped {
    const said = {
      parameters: parameters.slice(0, membersMax).map(([name, value]) => ({
        name: boundedText(name),
        value: this.#text(name, value, 'parameters'),
      })),
      request_headers: this.#headers(requestHeaders, 'request_headers'),
      answer: this.#members(answer, nestingMax),
      response_headers: this.#headers(responseHeaders, undefined),
    };
    if (soap !== undefined) this.#soap(soap);
    return { said: { ...said, decoded: this.#decoded }, secrets: this.#secrets };
  }

  /** The fingerprint that stands for a value from now on. */
  #secret(value: string): string {
    const fingerprint = this.#fingerprints.of(value);
    this.#secrets[fingerprint] = value;
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
    if (!isJwt && !isSecretName(name)) return boundedText(isAddress(value) ? this.#address(value) : value);
    const decoded = isJwt ? decodeToken(value) : undefined;
    if (decoded !== undefined) {
      const jwt = { header: boundedValue(decoded.header), claims: boundedValue(decoded.payload) };
      this.#decoded.push({ name, in: place, jwt });
    }
    return this.#secret(value);
  }

  #members(object: Readonly<Record<string, unknown>>, nesting: number): Record<string, unknown> {
    const members = Object.entries(object).slice(0, membersMax);
    return Object.fromEntries(members.map(([name, value]) => [boundedText(name), this.#value(name, value, nesting)]));
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

  #headers(headers: HeaderValues, place: Decoded['in'] | undefined): NamedText[] {
    const shown: NamedText[] = [];
    for (const [name, values] of Object.entries(headers)) {
      if (values === undefined) continue;
      for (const value of typeof values === 'string' ? [values] : values) {
        shown.push({ name, value: boundedText(this.#header(name.toLowerCase(), value, place)) });
      }
    }
    return shown;
  }

  #header(name: string, value: string, place: Decoded['in'] | undefined): string {
    switch (name) {
      case 'authorization':
      case 'proxy-authorization':
        return this.#credentials(name, value, place ?? 'request_headers');
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
        return this.#address(value);
      default:
        return isSecretName(name) || looksLikeJwt(value) ? this.#secret(value) : value;
    }
  }

  /** The scheme stands; of Basic the user, who is no secret, is told apart from his password. */
  #credentials(name: string, value: string, place: Decoded['in']): string {
    const space = value.indexOf(' ');
    if (space < 0) return this.#secret(value);
    const scheme = value.slice(0, space);
    const basic = basicCredentials(value);
    if (basic.kind === 'credentials') return `${scheme} ${this.#secret(value.slice(space + 1).trim())}`;
    return `${scheme} ${this.#secretToken(name, value.slice(space + 1).trim(), place)}`;
  }

  #secretToken(name: string, value: string, place: Decoded['in']): string {
    return looksLikeJwt(value) ? this.#text(name, value, place) : this.#secret(value);
  }

  #cookie(cookie: string): string {
    const equals = cookie.indexOf('=');
    if (equals < 0) return cookie === '' ? '' : this.#secret(cookie);
    const value = cookie.slice(equals + 1);
    return `${cookie.slice(0, equals)}=${value === '' ? '' : this.#secret(value)}`;
  }

  /** An address stands as sent but for the secrets in its query and fragment. */
  #address(address: string): string {
    return address.replace(/([?&#;])([^=&#?;]+)=([^&#;]*)/g, (whole, before: string, name: string, value: string) => {
      const [plainName, plainValue] = [decoded(name), decoded(value)];
      const isSecret = isSecretName(plainName) || plainName === 'SAMLResponse' || looksLikeJwt(plainValue);
      return isSecret && plainValue !== '' ? `${before}${name}=${this.#secret(plainValue)}` : whole;
    });
  }

  #soap({ request, answer }: NonNullable<Spoken['soap']>): void {
    const asked = lookIntoSamlBody(request);
    if (asked !== undefined) this.#decoded.push({ name: 'body', in: 'parameters', saml: asked });
    const answered = answer === undefined ? undefined : lookIntoSamlBody(Buffer.from(answer));
    if (answered !== undefined) this.#decoded.push({ name: 'body', in: 'answer', saml: answered });
  }
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value) || value.startsWith('/');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A value as it is, or the beginning of its text. */
function boundedValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= decodedCharactersMax ? value : boundedText(text);
}
