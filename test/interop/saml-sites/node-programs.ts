// passport-saml and samlify, each in an application of its own process.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import type { SamlSite, SiteOptions } from './sites.ts';

export const startPassportSaml = (options: SiteOptions) => startProgram('passport-saml', options);
export const startSamlify = (options: SiteOptions) => startProgram('samlify', options);

async function startProgram(name: string, { idpUrl, idpCertificate, idpMetadata }: SiteOptions): Promise<SamlSite> {
  const key = await signingKey('sp');
  const options = {
    ...{ idpUrl, idpMetadata, idpCert: idpCertificate },
    ...{ privateKey: privateKeyPem(key), publicCert: key.certificatePem },
  };
  const script = fileURLToPath(new URL(`./${name}-site.mjs`, import.meta.url));
  const program = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { value, done } = await createInterface({ input: program.stdout })[Symbol.asyncIterator]().next();
  if (done === true) throw new Error(`the site of ${name} does not start`);
  const { base, metadata } = JSON.parse(value);
  return {
    name,
    guarded: `${base}/protected/`,
    logout: `${base}/logout`,
    entityId: `${base}/metadata`,
    metadata,
    groupsOf: ({ text }) => JSON.parse(text).attributes.groups,
    async stop() {
      const ended = new Promise((resolve) => program.once('exit', resolve));
      program.kill('SIGTERM');
      await ended;
    },
  };
}
