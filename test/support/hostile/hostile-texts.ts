// Texts, host names and addresses that try to be mistaken for something else.
import type { SeededRandom } from '#test/support/seeded-random.ts';

/**
 * Characters that no JSON and no CSV of the server may contain literally. A terminal would execute them, or show the
 * text around them reversed.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
export const unruly = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const pieces = [
  ...['\0', '\u0007', '\u001b[31m', '\u007f', '\u0080', '\u0085', '\u009b2J', '\u009d0;x\u009c'],
  ...['\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202a', '\u202e', '\u2066', '\u2069'],
  ...['<script>alert(1)</script>', '"', '\\', '=1+1', '\t', '\u{1F600}', 'é', 'שלום', 'plain'],
];

const secretNames = [
  ...['password', 'pwd', 'pass', 'passphrase', 'passcode', 'client_secret', 'private_key', 'api_key', 'access_token'],
  ...['refresh_token', 'id_token', 'code', 'code_verifier', 'client_assertion', 'totp_code'],
];

export class HostileTexts {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Starts with a letter, because spaces around a name have a meaning. */
  text(): string {
    const length = this.#random.integer(1, 6);
    return `t${this.label()}${Array.from({ length }, () => this.one(pieces)).join('')}`;
  }

  /** Letters and digits of a DNS name. */
  label(): string {
    return `x${this.#random.integer(0, 2 ** 31).toString(36)}`;
  }

  /** A host that no website has, with or without a port. */
  localHost(): string {
    const byte = () => this.#random.integer(0, 255);
    const name = this.one([
      () => [byte(), byte(), byte(), byte()].join('.'),
      () => `[${Array.from({ length: 8 }, () => this.#random.integer(0, 0xffff).toString(16)).join(':')}]`,
      () => this.label(),
      () => `${this.label()}_${this.label()}.`,
      () => `${this.label()}.${this.one(['localhost', 'local', 'internal', 'test', 'example'])}`,
      () => `${this.label()}.default.svc.cluster.local`,
    ])();
    return this.#written(name);
  }

  /** A host that a website can have, often one that resembles another. */
  websiteHost(): string {
    const local = this.one(['localhost', '127.0.0.1', 'test', 'example', 'local', 'internal', this.label()]);
    const domain = this.one(['com', 'dev', 'localhost.com', 'notlocal', 'example.org', 'test1', 'xn--p1ai', 'co.uk']);
    return this.#written(`${local}.${this.label()}.${domain}`);
  }

  #written(name: string): string {
    const spelt = this.#random.next() < 0.3 ? name.toUpperCase() : name;
    const whole = this.#random.next() < 0.2 && /[a-z]$/i.test(spelt) ? `${spelt}.` : spelt;
    return this.#random.next() < 0.5 ? whole : `${whole}:${this.#random.integer(1, 65_535)}`;
  }

  /** An address that contains the secret in a parameter whose name reveals it, or before its host. */
  addressWith(secret: string): string {
    const [scheme, host] = [this.one(['https', 'http', 'com.example.app']), `${this.label()}.example`];
    return this.one([
      () => `${scheme}://user:${secret}@${host}/cb`,
      () => `${scheme}://${secret}:@${host}:8443/`,
      () => `${scheme}://${host}/cb?x=1&${this.one(secretNames)}=${secret}&y=2`,
      () => `${scheme}://${host}/cb?${encodeURIComponent(this.one(secretNames))}=${secret}#frag`,
      () => `${scheme}://${host}/cb#${this.one(secretNames)}=${secret}`,
    ])();
  }

  one<Value>(values: readonly Value[]): Value {
    return values[this.#random.integer(0, values.length - 1)] as Value;
  }
}
