// What one request costs when much is there already: two of ours, one left as it started, the other grown step by step, both
// loaded in turns after each step. Users and clients come through the interface, families and audit entries as clients
// make them.
import { httpRequest, type Operation } from './http-load.ts';
import { connections, type Measured, measuredLoad } from './measured-load.ts';
import { median } from './median.ts';
import { user } from './programs.ts';
import { codeFlow, ofClient, once, tokenRequest, tokensOf } from './requests.ts';
import type { StartedProgram } from './started-program.ts';

export interface GrowthBench {
  readonly start: () => Promise<StartedProgram>;
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const grownTo = Number(process.env.BENCH_GROWTH ?? 10_000);

type Named = readonly [name: string, operation: (number: number) => Operation];

export async function benchGrowth({ start, rounds, print }: GrowthBench): Promise<void> {
  const programs: StartedProgram[] = [];
  try {
    const [small, grown] = [await start(), await start()];
    programs.push(small, grown);
    print(`\ngrowth, processor time beside one that has not grown (target: at most 1.10 everywhere):`);
    const steps: readonly (readonly [what: string, grow: () => Promise<void>])[] = [
      ['nothing yet', async () => {}],
      [`${grownTo} users`, () => times(grown, (number) => created(grown, '/api/runtime/users', userNamed(number)), 1)],
      [
        `${grownTo} clients`,
        () => times(grown, (number) => created(grown, '/api/runtime/clients', clientNamed(number)), 1),
      ],
      [`${grownTo} families that were refreshed`, () => times(grown, () => family(grown))],
    ];
    for (const [what, grow] of steps) {
      await grow();
      print(`  ${what}:`);
      const ofSmall = await loadsOf(small);
      for (const [index, [name, request]] of (await loadsOf(grown)).entries()) {
        const asked = { small: ofSmall[index]?.[1] ?? request, grown: request };
        const measured: { readonly small: Measured[]; readonly grown: Measured[] } = { small: [], grown: [] };
        for (let round = 0; round < rounds; round += 1) {
          for (const turn of round % 2 === 0 ? (['small', 'grown'] as const) : (['grown', 'small'] as const)) {
            measured[turn].push(await measuredLoad(turn === 'small' ? small : grown, asked[turn]));
          }
        }
        const cpu = (of: 'small' | 'grown') => median(measured[of].map((each) => each.cpu));
        print(
          `    ${name.padEnd(20)} ${cpu('grown').toFixed(3)} ms, ${cpu('small').toFixed(3)} ms: ${(cpu('grown') / cpu('small')).toFixed(2)}`,
        );
      }
    }
  } finally {
    for (const program of programs) await program.stop();
  }
}

async function loadsOf(program: StartedProgram): Promise<readonly Named[]> {
  const credentials = tokenRequest(program, { grant_type: 'client_credentials' });
  const { access_token: token } = tokensOf(await once(program, (ask) => ask(credentials)));
  const introspected = ofClient(program, '/introspect', { token });
  return [
    ['client_credentials', () => (ask) => ask(credentials)],
    ['introspection', () => (ask) => ask(introspected)],
    ['code with login', () => codeFlow(program)],
  ];
}

/**
 * So many operations on kept connections, one for what is made under a lock; whatever is no 200 ends the run.
 * @throws Error
 */
async function times(
  program: StartedProgram,
  operation: (number: number) => Operation,
  inParallel = connections,
): Promise<void> {
  let begun = 0;
  const some: Operation = async (ask) => {
    let answer = await operation(0)(ask);
    while (begun < grownTo && answer.status === 200) {
      begun += 1;
      answer = await operation(begun)(ask);
    }
    return answer;
  };
  await Promise.all(Array.from({ length: inParallel }, () => once(program, some)));
}

function created(program: StartedProgram, path: string, body: object): Operation {
  const headers = { 'Content-Type': 'application/json' };
  const request = httpRequest(program.baseUrl, { method: 'POST', path, headers, body: JSON.stringify(body) });
  return async (ask) => {
    const answer = await ask(request);
    return answer.status === 201 ? { ...answer, status: 200 } : answer;
  };
}

const userNamed = (number: number) => ({ username: `made-${number}`, password: 'made', roles: ['USER'] });
const clientNamed = (number: number) => ({ client_id: `made-${number}`, client_secret: 'made' });

function family(program: StartedProgram): Operation {
  const first = tokenRequest(program, { grant_type: 'password', ...user });
  return async (ask) => {
    const { refresh_token = '' } = tokensOf(await ask(first));
    return ask(tokenRequest(program, { grant_type: 'refresh_token', refresh_token }));
  };
}
