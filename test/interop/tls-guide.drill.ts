// docs/guides/tls.md as written, for an instance with TLS: curl, Node.js, Python, Java and Chromium trust its authority.
// This is a drill because of the JDK.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the TLS guide', () => {
  let root: string;
  let idp: RunningIdp;
  before(async function () {
    for (const tool of ['bash', 'curl', 'jq', 'python3', 'chromium']) toolOrSkip(this, tool);
    for (const tool of ['java', 'javac', 'keytool']) toolOrSkip(this, tool, 'default-jdk-headless');
    root = mkdtempSync(join(tmpdir(), 'test-idp-tls-guide-'));
    cpSync(join(repositoryRoot, 'config'), join(root, 'config'), { recursive: true });
    idp = await startIdp({ root, args: ['--tls', '--host', '0.0.0.0'] });
  });
  after(async () => {
    await idp?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  verifies(['TLS-05', 'TLS-17'], 'makes five tools trust the authority', async () => {
    const text = readFileSync(join(repositoryRoot, 'docs/guides/tls.md'), 'utf8');
    const { host } = new URL(idp.baseUrl);
    const ours = (written: string) => written.replaceAll('127.0.0.1:8000', host);
    const directory = join(root, 'guide');
    mkdirSync(directory);
    symlinkSync(join(repositoryRoot, 'node_modules'), join(directory, 'node_modules'));
    const blocks = [...text.matchAll(/^```(\w+)([^\n]*)\n(.*?)^```$/gms)];
    for (const [, , rest = '', body = ''] of blocks) {
      const file = /file=(\S+)/.exec(rest)?.[1];
      if (file !== undefined) writeFileSync(join(directory, file), ours(body));
    }
    const commands = blocks.filter(([, language]) => language === 'sh').map(([, , , body = '']) => ours(body));
    const program = `test-idp() { "${process.execPath}" "${cliPath}" "$@" --config-dir "${idp.configDirectory}"; }`;
    const script = ['set -euo pipefail', program, ...commands].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: directory });
    expect(stdout.trimEnd().split('\n')).to.deep.equal([
      'the same',
      '{"status":"ok"}',
      'Bearer',
      `node ${idp.baseUrl}`,
      `python ${idp.baseUrl}`,
      'java {"status":"ok"}',
      'playwright Log in · test-idp',
    ]);
  });

  verifies('TLS-05', 'makes Java reject another name and an unknown authority', async () => {
    const directory = join(root, 'guide');
    const { port } = new URL(idp.baseUrl);
    const source = readFileSync(join(directory, 'Discover.java'), 'utf8');
    const trusting = ['-Djavax.net.ssl.trustStore=trusted.p12', '-Djavax.net.ssl.trustStorePassword=changeit'];
    const failure = (args: readonly string[]) =>
      promisify(execFile)('java', [...args, 'Discover.java'], { cwd: directory }).then(
        () => 'answered',
        ({ stderr }) => String(stderr),
      );
    expect(await failure([])).to.contain('unable to find valid certification path');
    // The server responds at this address too, but its certificate does not contain it.
    writeFileSync(join(directory, 'Discover.java'), source.replace(`127.0.0.1:${port}`, `127.0.0.2:${port}`));
    expect(await failure(trusting)).to.contain('No subject alternative names matching IP address 127.0.0.2');
  });
});
