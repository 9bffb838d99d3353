// A client in a process of its own (programs/). Both sides exchange lines of JSON.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Protocol } from '#build/judged-clients.ts';
import type { OpenedClient, Outcome, Pace } from './judged-client.ts';
import { judged, NothingCameError, type Surroundings } from './surroundings.ts';

export const programs = fileURLToPath(new URL('./programs/', import.meta.url));

const message = z.union([
  z.strictObject({ open: z.string() }),
  z.strictObject({ user: z.string() }),
  z.strictObject({ refusal: z.string() }),
  z.strictObject({ lacks: z.string() }),
]);

interface ProgramOptions {
  readonly version: string;
  readonly protocol: Protocol;
  readonly command: readonly [string, ...string[]];
}

const patienceMilliseconds = 60_000;

export function openProgram({ version, protocol, command }: ProgramOptions, around: Surroundings): OpenedClient {
  const { issuer, authorityFile: authority } = around;
  const [program, ...args] = command;
  const child = spawn(program, [...args, JSON.stringify({ ...judged, issuer, authority })], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...{ NODE_EXTRA_CA_CERTS: authority, REQUESTS_CA_BUNDLE: authority, SSL_CERT_FILE: authority },
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints = (complaints + chunk).slice(-4_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const say = (order: object) => child.stdin.write(`${JSON.stringify(order)}\n`);

  async function hear() {
    const impatience = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds);
    const { value, done } = await lines.next();
    clearTimeout(impatience);
    if (done === true) throw new Error(`${command.join(' ')} ended or said nothing for too long:\n${complaints}`);
    return message.parse(JSON.parse(value));
  }

  async function cameBack(address: string): Promise<string> {
    // A server never receives the fragment.
    if (protocol === 'oidc') return (await around.authorize(address)).replace(/#.*/, '');
    const answer = await around.samlAnswer(address);
    if (typeof answer === 'string') throw new NothingCameError('it awaits its answer by POST');
    return new URLSearchParams(answer.fields.map(([name, value]) => [name, value])).toString();
  }

  async function go(pace: Pace): Promise<Outcome> {
    say({ pace });
    for (;;) {
      const reply = await hear();
      if ('lacks' in reply) return { notMet: `it has no ${pace}` };
      if (!('open' in reply)) return reply;
      try {
        say({ answer: await cameBack(reply.open) });
      } catch (error) {
        if (!(error instanceof NothingCameError)) throw error;
        // The program waits for a response. Its reaction to an empty one does not count.
        say({ answer: '' });
        await hear();
        return { notMet: error.message };
      }
    }
  }

  return {
    version,
    go,
    async close() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}
