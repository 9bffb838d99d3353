// A test that proves a clause of the contract carries its id: verifies('TOK-12', 'names the rejected claims', …). If a
// Debian program that it needs is missing, the test is skipped and the reason is printed (debian-programs.ts). The gate
// (test/requirements/gate.ts) reads these calls from the sources, so the ids must be literals.

import { skipIfToolIsMissing } from './debian-programs.ts';

type Body = (this: Mocha.Context) => void | Promise<void>;

export function verifies(ids: string | readonly string[], title: string, body: Body): void {
  it(`[${typeof ids === 'string' ? ids : ids.join(' ')}] ${title}`, whereToolsAre(body));
}

/** For tests without a clause. */
export function whereToolsAre(body: Body): Mocha.AsyncFunc {
  return async function () {
    try {
      await body.call(this);
    } catch (error) {
      skipIfToolIsMissing(this, error);
    }
  };
}
