// Third-party clients log in with the shipped files. They are configured only with issuer, client id, secret and callback,
// and with what their rows name. docs/clients.md contains the results, and `npm run clients` writes it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { downloadsOrSkip, skipBecause } from '#test/support/debian-programs.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { type ClientRow, clientRows, type Language, languages } from './clients/client-rows.ts';
import { logIn, type Measured } from './clients/log-in.ts';
import { openSurroundings } from './clients/surroundings.ts';
import { tableOf } from './clients/table.ts';

/** Clients with another outcome than a logged-in user. */
const others: Readonly<Record<string, Measured['outcome']>> = {
  // By default it requests an ID token without a code, which the shipped files do not offer.
  'express-openid-connect': { refusal: 'unsupported_response_type' },
  // They request only the scope openid, and read only the ID token.
  'passport-openidconnect': { name: '', email: '' },
  'oidc-client-ts': { name: '', email: '' },
  'github.com/int128/kubelogin': { name: '', email: '' },
};
const names: Readonly<Record<string, string>> = {
  // Django stores a given name and a family name.
  'mozilla-django-oidc': 'Alice Almeida',
  'django-allauth': 'Alice Almeida',
  'social-auth-app-django': 'Alice Almeida',
  // It passes only the preferred username to its upstream.
  'github.com/oauth2-proxy/oauth2-proxy/v7': 'alice',
};
/** The registries from which CI does not download. */
const registries: Readonly<Partial<Record<Language, string>>> = {
  Python: 'PyPI',
  Go: 'the proxy of Go modules',
  Java: 'Maven Central',
  Rust: 'crates.io',
  Ruby: 'Debian (ruby-omniauth-openid-connect and ruby-webrick, which CI does not install)',
};

function expectedOf({ name, said, provider }: ClientRow): Measured['outcome'] {
  const other = said === undefined && provider !== 'implicit' ? others[name] : undefined;
  const email = 'alice@example.org';
  // Dex's connector for SAML is configured with the attribute to use as name.
  const shown = said?.usernameAttr === 'email' ? email : (names[name] ?? 'Alice Maria Almeida');
  return other ?? { name: shown, email };
}

for (const language of languages) {
  describe(`clients in ${language}`, () => {
    const measured = new Map<ClientRow, Measured>();
    let opened: Awaited<ReturnType<typeof openSurroundings>> | undefined;
    before(async function () {
      // Compiling takes time.
      this.timeout(1_800_000);
      const registry = registries[language];
      if (registry !== undefined) downloadsOrSkip(this, registry);
      try {
        opened = await openSurroundings(this, [language]);
      } catch (error) {
        if (process.env.TEST_IDP_REQUIRE_TOOLS === '1') throw error;
        skipBecause(this, `the clients cannot be installed: ${error instanceof Error ? error.message : error}`);
      }
    });
    after(() => opened?.close());

    for (const row of clientRows.filter((each) => each.language === language)) {
      const options = row.said === undefined ? '' : `, with ${JSON.stringify(row.said)}`;
      it(`${row.name} logs in unmodified${options}, provider ${row.provider}`, async () => {
        const { surroundings } = opened ?? expect.fail('nothing was opened');
        const result = await logIn(row, surroundings);
        measured.set(row, result);
        expect(result.outcome).to.deep.equal(expectedOf(row));
      });
    }

    it('docs/clients.md contains the results', () => {
      const document = readFileSync(join(repositoryRoot, 'docs/clients.md'), 'utf8');
      for (const line of tableOf(measured).trimEnd().split('\n')) expect(document).to.include(line);
    });
  });
}
