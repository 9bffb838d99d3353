// The cost of TLS (TLS-18): warm starts and the rate of client_credentials on keep-alive connections, plain and
// encrypted in turns.
import { get } from 'node:https';
import type { LoadResult } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { median } from './median.ts';
import { cpuOfTree, type StartedProgram } from './started-program.ts';

interface TlsBench {
  readonly start: (...further: string[]) => Promise<StartedProgram>;
  readonly tokenLoad: (program: StartedProgram) => Promise<LoadResult>;
  /** Pairs of starts. Each started program also gets token requests. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const ways = { plain: [], tls: ['--tls'] } as const;

interface Measure {
  /** Milliseconds until ready. */
  readonly start: number;
  /** Milliseconds of all its processes until then. Other work on the machine affects this least. */
  readonly startCpu: number;
  /** Requests per second. */
  readonly rate: number;
  /** Milliseconds of all its processes per request. */
  readonly requestCpu: number;
}

export async function benchTls({ start, tokenLoad, rounds, print }: TlsBench): Promise<void> {
  // The first one generates the certificates, and warm starts load them.
  await (await start(...ways.tls)).stop();
  const { plain, tls } = await inTurns(rounds, {
    plain: async () => measure(await start(...ways.plain), tokenLoad),
    tls: async () => measure(await start(...ways.tls), tokenLoad),
  });
  const line = (what: keyof Measure, digits: number) => {
    const [before, now] = [plain.map((each) => each[what]), tls.map((each) => each[what])];
    return `${median(now).toFixed(digits)}, plain ${median(before).toFixed(digits)}: ${share(now, before)}`;
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
