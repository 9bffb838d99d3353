// The state of the demonstration, in memory only: which browser started which login, and its outcome. Both are
// bounded, and the oldest entries are removed first.

import type { BegunLogin, LoggedIn } from './relying-party.ts';
import type { AssertedUser, BegunSamlLogin } from './service-provider.ts';

export interface Result<Who> {
  readonly who: Who;
  /** The flow in the provider's recorder, if recorded. */
  readonly flow: string | undefined;
}

/** The user of one browser at the two applications. */
export interface Visitor {
  /** The id in its cookie. */
  readonly id: string;
  openidConnect?: Result<LoggedIn>;
  saml?: Result<AssertedUser>;
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

  /** Returns the value once, and removes it. */
  take(key: string): Value | undefined {
    const value = this.#values.get(key);
    this.#values.delete(key);
    return value;
  }
}

export class Logins {
  readonly visitors = new Kept<Visitor>();
  /** By state. */
  readonly pending = new Kept<{ readonly visitor: Visitor; readonly login: BegunLogin }>();
  /** By the ID of the request. */
  readonly pendingSaml = new Kept<{ readonly visitor: Visitor; readonly login: BegunSamlLogin }>();
  /** Verified responses to those requests, until the browser that began fetches its own. By the ID of the request. */
  readonly answered = new Kept<{ readonly visitor: Visitor; readonly result: Result<AssertedUser> }>();
}
