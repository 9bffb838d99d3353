// The two Apache modules: a site that requires a login, and a browser that visits it.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateRsaKeyPair, privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { type Apache, type ApacheOptions, startApache } from '#test/support/apache.ts';
import { BrowserClient, type Page } from '#test/support/browser-client.ts';
import { type JudgedClient, type OpenedClient, type Outcome, type Pace, UnavailableError } from './judged-client.ts';
import { locationOf, NothingCameError, type Surroundings } from './surroundings.ts';

type Visit = (apache: Apache) => Promise<Outcome>;

interface ApacheClient {
  readonly debianPackage: string;
  readonly options: Pick<ApacheOptions, 'module' | 'configure'>;
  readonly visits: Readonly<Partial<Record<Pace, Visit>>>;
}

/** One Apache serves consecutive visits. A visit without remembered state gets a new Apache. */
function openApache({ debianPackage, options, visits }: ApacheClient): OpenedClient {
  let running: Apache | undefined;
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    version: versionOf(debianPackage),
    async go(pace, anew) {
      const visit = visits[pace];
      if (visit === undefined) return { notMet: `it has no ${pace}` };
      if (anew) await stop();
      try {
        running ??= await startApache(notAvailable, { ...options, debianPackage });
        return await visit(running);
      } catch (error) {
        if (error instanceof NothingCameError) return { notMet: error.message };
        if (error instanceof ApacheRefusedError) return { refusal: error.message };
        throw error;
      } finally {
        if (anew) await stop();
      }
    },
    close: stop,
  };
}

class ApacheRefusedError extends Error {}

const notAvailable = {
  skip(): never {
    throw new UnavailableError('a tool of Debian is missing, as said above');
  },
};

function versionOf(debianPackage: string): string {
  const version = execFileSync('dpkg-query', ['-W', '-f', '${Version}', debianPackage], { encoding: 'utf8' });
  return version.replace(/^\d+:|-[^-]*$/g, '');
}

/** The user that the site considers logged in. */
function visitorOf({ status, headers }: Page): string {
  const user = headers.get('x-remote-user');
  if (status === 200 && user !== null && user !== '' && user !== '(null)') return user;
  throw new ApacheRefusedError(`the site answers ${status}`);
}

/** The address to which the site sends an unknown visitor. */
async function sentTo(browser: BrowserClient, site: string): Promise<string> {
  let address = '/protected/';
  do {
    const page = await browser.get(address);
    if (page.location === null) throw new ApacheRefusedError(`it does not begin a login: ${page.status}`);
    address = new URL(page.location, page.url).href;
  } while (address.startsWith(site));
  return address;
}

async function arrivedAt(browser: BrowserClient, page: Page): Promise<string> {
  if (page.location === null)
    throw new ApacheRefusedError(`the site answers ${page.status}: ${page.text.slice(0, 120)}`);
  return visitorOf(await browser.get(page.location));
}

export const modAuthOpenidc: JudgedClient = {
  name: 'mod_auth_openidc',
  protocol: 'oidc',
  async open(around) {
    const { issuer, authorityFile, idp } = around;
    const logIn = async ({ baseUrl }: Apache) => {
      const browser = new BrowserClient(baseUrl);
      const called = await around.authorize(await sentTo(browser, baseUrl));
      const page = await browser.get(called.replace(/#.*/, ''));
      if (page.location === null) throw new ApacheRefusedError(`the callback answers ${page.status}`);
      return { browser, page: await browser.get(page.location) };
    };
    return openApache({
      debianPackage: 'libapache2-mod-auth-openidc',
      options: {
        module: 'auth_openidc',
        async configure({ root, baseUrl }) {
          const redirectUri = `${baseUrl}/protected/callback`;
          const client = { client_id: `site-${new URL(baseUrl).port}`, client_secret: 'a-secret-of-the-judged-site' };
          await idp.api('POST', '/api/runtime/clients', { ...client, redirect_uris: [redirectUri] });
          return `
          OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
          OIDCClientID ${client.client_id}
          OIDCClientSecret ${client.client_secret}
          OIDCRedirectURI ${redirectUri}
          OIDCCryptoPassphrase a-passphrase-of-the-judge
          OIDCPKCEMethod S256
          OIDCScope "openid email"
          OIDCAuthRequestParams max_age=3600
          OIDCUnAuthAction auth true
          OIDCRemoteUserClaim sub
          OIDCCABundlePath ${authorityFile}
          OIDCOAuthClientID ${client.client_id}
          OIDCOAuthClientSecret ${client.client_secret}
          OIDCOAuthIntrospectionEndpoint ${issuer}/introspect
          OIDCOAuthRemoteUserClaim username
          <Location /protected>
            AuthType openid-connect
            Require valid-user
            Header always set X-Access-Token "expr=%{reqenv:OIDC_access_token}"
            Header always set X-Email "expr=%{reqenv:OIDC_CLAIM_email}"
          </Location>
          Alias /resource ${root}/htdocs/protected
          <Location /resource>
            AuthType oauth20
            Require valid-user
          </Location>`;
        },
      },
      visits: {
        async login(apache) {
          const { page } = await logIn(apache);
          const user = visitorOf(page);
          // The module logs in without userinfo that it rejects. Only userinfo contains the email address.
          if ((page.headers.get('x-email') ?? '') === '') throw new ApacheRefusedError('it makes no use of userinfo');
          return { user };
        },
        async refresh(apache) {
          const { browser, page } = await logIn(apache);
          const token = page.headers.get('x-access-token') ?? '';
          const back = `${apache.baseUrl}/protected/`;
          const query = new URLSearchParams({ refresh: back, access_token: token });
          const refreshed = locationOf(await browser.get(`/protected/callback?${query}`));
          if (refreshed.includes('error_code')) throw new ApacheRefusedError(refreshed);
          return { user: visitorOf(await browser.get(refreshed)) };
        },
        async introspect({ baseUrl }) {
          const { body } = await idp.api('POST', '/api/users/alice/token', { scope: 'openid' });
          const page = await new BrowserClient(baseUrl).get('/resource/index.html', {
            Authorization: `Bearer ${body.access_token}`,
          });
          return { user: visitorOf(page) };
        },
      },
    });
  },
};

export const modAuthMellon: JudgedClient = {
  name: 'mod_auth_mellon',
  protocol: 'saml',
  async open({ idp, samlAnswer }: Surroundings) {
    const pair = await generateRsaKeyPair();
    const logIn: Visit = async ({ baseUrl }) => {
      const browser = new BrowserClient(baseUrl);
      const answer = await samlAnswer(await sentTo(browser, baseUrl));
      const sent = typeof answer === 'string' ? browser.get(answer) : browser.post(answer.action, answer.fields);
      return { user: await arrivedAt(browser, await sent) };
    };
    return openApache({
      debianPackage: 'libapache2-mod-auth-mellon',
      options: {
        module: 'auth_mellon',
        async configure({ root, baseUrl }) {
          writeFileSync(join(root, 'sp.key'), privateKeyPem(pair));
          writeFileSync(join(root, 'sp.xml'), serviceProviderMetadata(`${baseUrl}/mellon`));
          writeFileSync(join(root, 'idp.xml'), await (await fetch(`${idp.baseUrl}/saml/metadata`)).text());
          return `
            <Location />
              MellonEnable info
              MellonEndpointPath /mellon
              MellonSPMetadataFile ${root}/sp.xml
              MellonSPPrivateKeyFile ${root}/sp.key
              MellonIdPMetadataFile ${root}/idp.xml
              MellonSignatureMethod rsa-sha256
              MellonUser NAME_ID
            </Location>
            <Location /protected>
              AuthType Mellon
              MellonEnable auth
              Require valid-user
            </Location>`;
        },
      },
      visits: { login: logIn, metadata: logIn },
    });
  },
};

/** The module requests the first of these formats, and transient names without any format. */
const serviceProviderMetadata = (
  endpoints: string,
) => `<EntityDescriptor entityID="${endpoints}/metadata" xmlns="urn:oasis:names:tc:SAML:2.0:metadata">
  <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</NameIDFormat>
    <AssertionConsumerService index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${endpoints}/postResponse"/>
  </SPSSODescriptor>
</EntityDescriptor>
`;
