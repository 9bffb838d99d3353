// SimpleSAMLphp of Debian as a site with a page that requires a login, on PHP's own server.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { type Skippable, toolOrSkip } from '#test/support/debian-programs.ts';
import { freePort } from '#test/support/free-port.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import type { SamlSite, SiteOptions } from './sites.ts';

const pages = '/usr/share/simplesamlphp/www';
const ours = (name: string) => fileURLToPath(new URL(`simplesamlphp/${name}`, import.meta.url));

export async function startSimpleSamlPhp(
  context: Skippable,
  { idpMetadata, idpEntityId }: Pick<SiteOptions, 'idpMetadata' | 'idpEntityId'>,
): Promise<SamlSite> {
  const php = toolOrSkip(context, 'php', 'php-cli');
  if (!existsSync(pages)) toolOrSkip(context, 'simplesamlphp');
  const root = mkdtempSync(join(tmpdir(), 'test-idp-simplesamlphp-'));
  for (const directory of ['config', 'sessions', 'temporary']) mkdirSync(join(root, directory));
  for (const name of ['config.php', 'authsources.php']) cpSync(ours(name), join(root, 'config', name));
  const key = await signingKey('sp');
  writeFileSync(join(root, 'sp.key'), privateKeyPem(key));
  writeFileSync(join(root, 'sp.crt'), key.certificatePem);
  writeFileSync(join(root, 'idp.xml'), idpMetadata);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const program = spawn(
    php,
    ['-d', 'display_errors=0', '-d', 'log_errors=1', '-S', `127.0.0.1:${port}`, '-t', pages, ours('site.php')],
    {
      env: {
        ...process.env,
        SIMPLESAMLPHP_CONFIG_DIR: join(root, 'config'),
        SITE_ROOT: root,
        SITE: base,
        IDP: idpEntityId,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let log = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const metadata = await readFrom(`${base}/module.php/saml/sp/metadata.php/default-sp`, () =>
    program.exitCode === null ? undefined : log,
  );
  return {
    name: 'SimpleSAMLphp',
    guarded: `${base}/protected/`,
    logout: `${base}/logout`,
    entityId: `${base}/sp`,
    metadata,
    groupsOf: ({ text }) => JSON.parse(text).attributes.groups,
    async stop() {
      const ended = new Promise((resolve) => program.once('exit', resolve));
      program.kill('SIGTERM');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** `ended`: the output of the process once it ended. */
async function readFrom(url: string, ended: () => string | undefined): Promise<string> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return answer.text();
    const log = ended();
    if (log !== undefined || Date.now() > deadline) {
      throw new Error(`SimpleSAMLphp answers ${answer?.status}: ${log ?? (await answer?.text())}`);
    }
    // With a pause, because the awaited process needs the CPU.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
