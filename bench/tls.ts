// What TLS costs (TLS-18): a warm start with and without it in turns, and the rate of client_credentials on connections that
// are kept, plain and encrypted in the same run.
import { get } from 'node:https';
import type { LoadResult } from './http-load.ts';
import { median } from './median.ts';
import type { StartedProgram } from './started-program.ts';

const startRounds = 9;
const loadRounds = 3;

export interface TlsBench {
  readonly start: (...further: string[]) => Promise<StartedProgram>;
  readonly tokenLoad: (program: StartedProgram) => Promise<LoadResult>;
  readonly print: (line: string) => void;
}

export async function benchTls({ start, tokenLoad, print }: TlsBench): Promise<void> {
  const ways = { plain: [], tls: ['--tls'] } as const;
  const starts = { plain: [] as number[], tls: [] as number[] };
  const rates = { plain: [] as number[], tls: [] as number[] };
  // The first one makes the certificates; warm starts find them.
  await (await start(...ways.tls)).stop();
  for (let round = 0; round < startRounds; round += 1) {
    for (const way of ['plain', 'tls'] as const) {
      const program = await start(...ways[way]);
      starts[way].push(program.millisecondsToReady);
      if (round < loadRounds) rates[way].push((await tokenLoad(program)).requestsPerSecond);
      await program.stop();
    }
  }
  const [plainStart, tlsStart] = [median(starts.plain), median(starts.tls)];
  const [plainRate, tlsRate] = [median(rates.plain), median(rates.tls)];
  print(
    `\ntls: a warm start ${tlsStart.toFixed(0)} ms, plain ${plainStart.toFixed(0)} ms: ${(tlsStart / plainStart).toFixed(2)} (at most 1.30)`,
  );
  print(
    `tls: client_credentials ${tlsRate.toFixed(0)}/s, plain ${plainRate.toFixed(0)}/s: ${(tlsRate / plainRate).toFixed(2)} (at least 0.85)`,
  );
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
