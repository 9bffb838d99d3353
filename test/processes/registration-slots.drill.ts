// Twenty processes register simultaneously at two front ends of one stack with five free slots.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

/** Prints `armed`, waits for a line, registers and prints the status. */
const program = `
  process.stdin.once('data', async () => {
    const answer = await fetch(process.argv[1] + '/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
    });
    console.log(answer.status + ' ' + ((await answer.json()).error ?? ''));
    process.exit(0);
  });
  console.log('armed');
`;

class Registrant {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(baseUrl: string) {
    this.#child = spawn(process.execPath, ['-e', program, baseUrl], { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error('standard output is not piped');
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    return (await this.#lines.next()).value;
  }

  go(): void {
    this.#child.stdin?.write('go\n');
  }
}

describe('twenty processes and five slots', () => {
  let idp: RunningIdp;
  before(async () => {
    const oauth = { ...demoSettings.oauth, dynamic_registration: { enabled: true, max_clients: 5 } };
    idp = await startIdp({ settings: { oauth }, args: ['--oidc-workers', '2'] });
  });
  after(() => idp.stop());

  verifies(['DCR-19', 'SUP-12'], 'result in exactly five registrations', async () => {
    const registrants = Array.from({ length: 20 }, () => new Registrant(idp.baseUrl));
    for (const registrant of registrants) expect(await registrant.line()).to.equal('armed');
    for (const registrant of registrants) registrant.go();
    const answers = await Promise.all(registrants.map((registrant) => registrant.line()));
    expect(answers.sort()).to.deep.equal([
      ...Array.from({ length: 5 }, () => '201 '),
      ...Array.from({ length: 15 }, () => '429 registration_limit_reached'),
    ]);
    const list = await fetch(`${idp.baseUrl}/api/runtime/clients`);
    expect(((await list.json()) as { count: number }).count).to.equal(5);
  });
});
