// What the demonstration keeps, in memory alone: which browser has begun which login, and what came of it. Both are bounded; the
// oldest go first.

import type { BegunLogin, LoggedIn } from './relying-party.ts';
import type { Asserted, BegunSamlLogin } from './service-provider.ts';

export interface Result<Who> {
  readonly who: Who;
  /** The flow in the provider's recorder, where it kept one. */
  readonly flow: string | undefined;
}

/** Who one browser is to the two applications. */
export interface Visitor {
  /** In its cookie. */
  readonly id: string;
  openidConnect?: Result<LoggedIn>;
  saml?: Result<Asserted>;
}

const keptMax = 1_000;

class Kept<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > keptMax && oldest !== undefined) this.#values.delete(oldest);
  }

  /** Once. */
  take(key: string): Value | undefined {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value;
  }
}

export class Logins {
  readonly visitors = new Kept<Visitor>();
  /** By state. */
  readonly begun = new Kept<{ readonly visitor: Visitor; readonly login: BegunLogin }>();
  /** By the ID of the request. */
  readonly begunSaml = new Kept<{ readonly visitor: Visitor; readonly login: BegunSamlLogin }>();
  /** Answers to those, verified, until the browser that began fetches its own; by the ID of the request. */
  readonly answered = new Kept<{ readonly visitor: Visitor; readonly result: Result<Asserted> }>();
}
