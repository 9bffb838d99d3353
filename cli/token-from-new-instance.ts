// An instance for one token (PKG-26). It runs on a free port as a separate process, gets a request as if at the
// configured address, and is stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { InstanceAddress } from './instance-address.ts';
import { type Instance, requestToken, type TokenResponse, type TokenWish } from './request-token.ts';

/** `base`: the address in the configuration. The token has it as issuer if the issuer follows requests. */
export async function requestTokenFromNewInstance(base: string, wish: TokenWish): Promise<TokenResponse> {
  const { configDirectory } = wish;
  const place = configDirectory === undefined ? [] : ['--config-dir', configDirectory];
  const child = spawn(process.execPath, [programPath(), 'oidc', '--port', '0', '--ready-json', ...place], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const closed = once(child, 'close');
  const firstLine = once(createInterface({ input: child.stdout }), 'line');
  const failed = closed.then(() => {
    throw new Error(lastSentence(log));
  });
  failed.catch(() => {});
  try {
    const [line]: unknown[] = await Promise.race([firstLine, failed]);
    const instance: Instance = { ...readyInstance(String(line)), host: new URL(base).host };
    const response = await requestToken(instance, wish);
    process.stderr.write(
      `test-idp: No instance runs at ${base}, so a temporary one issued this token. ${verifiers(configDirectory)}\n`,
    );
    return response;
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
}

function verifiers(configDirectory: string | undefined): string {
  if (configDirectory === undefined) {
    return 'Its key is discarded, so the token cannot be verified.';
  }
  return `An instance with ${configDirectory} has its key and can verify the token.`;
}

/** The running command, even if npm linked it under another name. */
function programPath(): string {
  return process.argv[1] ?? fileURLToPath(new URL('./cli.js', import.meta.url));
}

function readyInstance(ready: string): InstanceAddress {
  const value: unknown = JSON.parse(ready);
  const { base_url: base, ca_file: caFile }: Readonly<Record<string, unknown>> = Object(value);
  if (typeof base !== 'string') throw new Error('The temporary instance for this token returned unexpected output.');
  return { base, caFile: typeof caFile === 'string' ? caFile : undefined };
}

/** The last line for people. Log lines are JSON. */
function lastSentence(log: string): string {
  const sentence = log.split('\n').findLast((line) => line !== '' && !line.startsWith('{'));
  return sentence?.replace(/^test-idp(?: oidc)?: /, '') ?? 'The temporary instance for this token ended at once.';
}
