// What TLS costs (TLS-18): warm starts and the rate of client_credentials on connections that are kept, plain and encrypted
// in turns, so that whatever else the machine does disturbs both alike.
import { get } from 'node:https';
import type { LoadResult } from './http-load.ts';
import { median } from './median.ts';
import { cpuOfTree, type StartedProgram } from './started-program.ts';

interface TlsBench {
  readonly start: (...further: string[]) => Promise<StartedProgram>;
  readonly tokenLoad: (program: StartedProgram) => Promise<LoadResult>;
  /** Pairs of starts; every one that is ready is asked for tokens, too. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const ways = { plain: [], tls: ['--tls'] } as const;
type Way = keyof typeof ways;

interface Measure {
  /** Milliseconds to ready. */
  readonly start: number;
  /** Milliseconds of all its processes until then: what else the machine does disturbs it least. */
  readonly startCpu: number;
  /** Requests a second. */
  readonly rate: number;
  /** Milliseconds of all its processes a request. */
  readonly requestCpu: number;
}

export async function benchTls({ start, tokenLoad, rounds, print }: TlsBench): Promise<void> {
  // The first one makes the certificates; warm starts find them.
  await (await start(...ways.tls)).stop();
  const measured: Record<Way, Measure[]> = { plain: [], tls: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Who goes first changes from pair to pair.
    const turns: readonly Way[] = round % 2 === 0 ? ['plain', 'tls'] : ['tls', 'plain'];
    for (const way of turns) measured[way].push(await measure(await start(...ways[way]), tokenLoad));
  }
  const line = (what: keyof Measure, digits: number) => {
    const [plain, tls] = [measured.plain.map((each) => each[what]), measured.tls.map((each) => each[what])];
    const ratios = tls.map((value, round) => value / (plain[round] ?? Number.NaN));
    const [least, most] = [Math.min(...ratios).toFixed(2), Math.max(...ratios).toFixed(2)];
    return `${median(tls).toFixed(digits)}, plain ${median(plain).toFixed(digits)}: ${median(ratios).toFixed(2)} (${least} to ${most} in ${rounds} pairs)`;
  };
  print('\nTLS, a warm start and then client_credentials on kept connections:');
  print(`  ms to ready                     ${line('start', 0)}, at most 1.30`);
  print(`  processor ms to ready           ${line('startCpu', 0)}`);
  print(`  tokens/s                        ${line('rate', 0)}, at least 0.85`);
  print(`  processor ms of a token         ${line('requestCpu', 3)}`);
}

async function measure(program: StartedProgram, tokenLoad: TlsBench['tokenLoad']): Promise<Measure> {
  try {
    const startCpu = cpuOfTree(program.pid);
    const { requestsPerSecond, answered } = await tokenLoad(program);
    const requestCpu = (cpuOfTree(program.pid) - startCpu) / answered;
    return { start: program.millisecondsToReady, startCpu, rate: requestsPerSecond, requestCpu };
  } finally {
    await program.stop();
  }
}

export function readSecurely(url: string, ca: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('error', reject).on('end', () => resolve(text));
    }).on('error', reject);
  });
}
