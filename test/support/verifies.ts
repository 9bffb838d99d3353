// A test that proves a clause of the contract carries its id: verifies('TOK-12', 'names the refused claims', …).
// The gate (test/requirements/gate.ts) reads these calls from the sources, so the ids must be literals.

type Body = (this: Mocha.Context) => void | Promise<void>;

export function verifies(ids: string | readonly string[], title: string, body: Body): void {
  it(`[${typeof ids === 'string' ? ids : ids.join(' ')}] ${title}`, body);
}
