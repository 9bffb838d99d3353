// `npm run judge:saml`: which of the faults of a SAML login that a correct client rejects do real service providers reject?
// Each client logs in once with each fault set, and docs/faults-saml-clients.md gets what it did, with its version. Facts of one
// configuration, the usual one of a careful reader of the client's own documentation; nobody is blamed.
import { readFileSync, writeFileSync } from 'node:fs';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import * as samlify from 'samlify';
import { faultCatalogue } from '#shared/faults/catalogue/index.ts';
import type { FaultRow } from '#shared/faults/fault-row.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { saml } from '#test/support/worlds.ts';

const root = new URL('../../', import.meta.url);
const document = new URL('docs/faults-saml-clients.md', root);
const acs = 'https://sp.example/acs';
const userName = 'alice@example.org';

interface ServiceProvider {
  readonly title: string;
  /** Begins a login and takes its answer: the name it logs in under. @throws whatever it refuses with */
  logIn(): Promise<string>;
}

interface Maker {
  readonly packageName: string;
  make(idp: RunningIdp, alice: BrowserClient): Promise<Pick<ServiceProvider, 'logIn'>>;
}

/** The client never got to see the answer. */
class NothingPostedError extends Error {}

async function answerTo(address: string, alice: BrowserClient): Promise<string> {
  const page = await alice.get(address);
  const form = page.forms.find(({ action }) => action === acs);
  const field = form?.fields.find(([name]) => name === 'SAMLResponse')?.[1];
  if (field === undefined) throw new NothingPostedError('nothing was posted to the ACS');
  return field;
}

const makers: readonly Maker[] = [
  {
    packageName: '@node-saml/node-saml',
    async make(idp, alice) {
      const provider = new SAML({
        callbackUrl: acs,
        entryPoint: `${idp.baseUrl}/saml/sso`,
        issuer: 'https://node-saml.example',
        audience: 'https://node-saml.example',
        idpCert: await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text(),
        idpIssuer: `${idp.baseUrl}/saml`,
        wantAssertionsSigned: true,
        wantAuthnResponseSigned: false,
        validateInResponseTo: ValidateInResponseTo.always,
      });
      return {
        async logIn() {
          const SAMLResponse = await answerTo(await provider.getAuthorizeUrlAsync('', undefined, {}), alice);
          const { profile } = await provider.validatePostResponseAsync({ SAMLResponse });
          if (profile === null) throw new Error('no profile');
          return profile.nameID;
        },
      };
    },
  },
  {
    packageName: 'samlify',
    async make(idp, alice) {
      samlify.setSchemaValidator({ validate: async () => 'no schema validator is at hand' });
      const provider = samlify.ServiceProvider({
        entityID: 'https://samlify.example',
        wantAssertionsSigned: true,
        assertionConsumerService: [{ Binding: samlify.Constants.namespace.binding.post, Location: acs }],
      });
      const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
      const identityProvider = samlify.IdentityProvider({ metadata });
      return {
        async logIn() {
          const { context } = provider.createLoginRequest(identityProvider, 'redirect');
          const body = { SAMLResponse: await answerTo(context, alice) };
          const { extract } = await provider.parseLoginResponse(identityProvider, 'post', { body });
          return String(extract.nameID);
        },
      };
    },
  },
];

function versionOf(packageName: string): string {
  const { version } = JSON.parse(readFileSync(new URL(`node_modules/${packageName}/package.json`, root), 'utf8'));
  return `${packageName} ${version}`;
}

/** What the client did, in a word or two. */
async function verdict(row: FaultRow, provider: ServiceProvider, idp: RunningIdp): Promise<string> {
  // The Response that is sent again is one that this very client took before.
  if (row.name === 'saml_replayed') await provider.logIn();
  const set = await setFault(idp, row.name);
  const outcome = await outcomeOf(row, provider);
  if ((await faultOf(idp, set)).hits !== 1) throw new Error(`${row.name} did not fire`);
  await noFaults(idp);
  return outcome;
}

async function outcomeOf(row: FaultRow, provider: ServiceProvider): Promise<string> {
  try {
    const name = await provider.logIn();
    if (name !== userName) return `**logs in as \`${name}\`**`;
    return 'name_id' in row.parameters.shape ? 'logs in the right user' : '**accepts**';
  } catch (error) {
    return error instanceof NothingPostedError ? 'not judged' : 'rejects';
  }
}

async function judge(): Promise<string> {
  const idp = await startIdp({ world: saml, users: { alice: { password: 'wonderland', email: userName } } });
  try {
    const alice = await loggedIn(idp);
    const providers = await Promise.all(
      makers.map(async (maker) => ({ title: versionOf(maker.packageName), ...(await maker.make(idp, alice)) })),
    );
    for (const { title, logIn } of providers) {
      const name = await logIn();
      if (name !== userName) throw new Error(`${title} logs in ${name} without any fault`);
    }
    const rows = faultCatalogue.filter(({ at, client }) => client === 'reject' && at.join() === 'saml_sso');
    const lines = [];
    for (const row of rows) {
      const verdicts = [];
      for (const provider of providers) verdicts.push(await verdict(row, provider, idp));
      lines.push(`| \`${row.name}\` | ${verdicts.join(' | ')} |`);
    }
    const head = ['Fault', ...providers.map(({ title }) => title)];
    return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...lines].join('\n');
  } finally {
    await idp.stop();
  }
}

writeFileSync(
  document,
  `# What SAML clients do with the faults

Which of the faults of a SAML login that a correct client rejects (the catalogue says so, with the standard it stands in) do
real clients reject? Written by \`npm run judge:saml\`, which logs in once with each fault set. Facts of these versions in one
usual configuration: signed Assertions demanded; node-saml is told the audience and the issuer, and to check \`InResponseTo\`. A
client may leave a check to the application that uses it, and many can be configured to be stricter. Where a row has a forged
name, a client that logs in the right user is as right as one that rejects. A Response in the query of the ACS is not judged:
these clients await it by POST.

${await judge()}
`,
);
