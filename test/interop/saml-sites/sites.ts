// Service providers written by others, of which some have a file of their own beside this one, each a site with something behind a login, and each able to begin and to answer a
// single logout.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { startApache } from '#test/support/apache.ts';
import type { Skippable } from '#test/support/debian-programs.ts';
import { freePort } from '#test/support/free-port.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { startShibd } from '#test/support/shibd.ts';

export interface SamlSite {
  readonly name: string;
  /** Leads to the login, or shows what is behind it. */
  readonly guarded: string;
  /** Begins a logout. */
  readonly logout: string;
  readonly entityId: string;
  /** As the service provider made it. */
  readonly metadata: string;
  /** Of what its attributes came to be there: each value of `groups`. */
  groupsOf(page: { readonly text: string; readonly headers: Readonly<Record<string, string>> }): readonly string[];
  stop(): Promise<void>;
}

export interface SiteOptions {
  readonly idpMetadata: string;
  readonly idpEntityId: string;
  readonly idpUrl: string;
  readonly idpCertificate: string;
}

async function keyFiles(root: string, { idpMetadata }: SiteOptions) {
  const key = await signingKey('sp');
  writeFileSync(join(root, 'sp.key'), privateKeyPem(key));
  writeFileSync(join(root, 'sp.crt'), key.certificatePem);
  writeFileSync(join(root, 'idp.xml'), idpMetadata);
}

const groupsHeader = (name: string) => `Header always set X-Groups "expr=%{reqenv:${name}}"`;

export async function startMellon(context: Skippable, options: SiteOptions): Promise<SamlSite> {
  const apache = await startApache(context, {
    module: 'auth_mellon',
    debianPackage: 'libapache2-mod-auth-mellon',
    configure: async ({ root, baseUrl }) => {
      await keyFiles(root, options);
      return `
        <Location />
          MellonEnable info
          MellonEndpointPath /mellon
          MellonSPentityId ${baseUrl}/mellon/metadata
          MellonSPPrivateKeyFile ${root}/sp.key
          MellonSPCertFile ${root}/sp.crt
          MellonIdPMetadataFile ${root}/idp.xml
          MellonSignatureMethod rsa-sha256
          MellonMergeEnvVars On ";"
          MellonSecureCookie On
        </Location>
        <Location /protected>
          AuthType Mellon
          MellonEnable auth
          Require valid-user
        </Location>
        ${groupsHeader('MELLON_groups')}`;
    },
  });
  return {
    name: 'mod_auth_mellon',
    guarded: `${apache.baseUrl}/protected/`,
    logout: `${apache.baseUrl}/mellon/logout?ReturnTo=${encodeURIComponent(`${apache.baseUrl}/favicon.ico`)}`,
    entityId: `${apache.baseUrl}/mellon/metadata`,
    metadata: await (await fetch(`${apache.baseUrl}/mellon/metadata`)).text(),
    groupsOf: ({ headers }) => (headers['x-groups'] ?? '').split(';'),
    stop: () => apache.stop(),
  };
}

const attributeMap = `<Attributes xmlns="urn:mace:shibboleth:2.0:attribute-map">
  <Attribute name="groups" nameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic" id="groups"/>
</Attributes>
`;

const shibbolethConfiguration = (root: string, baseUrl: string, idpEntityId: string) => `<SPConfig
    xmlns="urn:mace:shibboleth:3.0:native:sp:config" clockSkew="180">
  <UnixListener address="${root}/shibd.sock"/>
  <ApplicationDefaults entityID="${baseUrl}/shibboleth" REMOTE_USER="groups" signing="true">
    <Sessions lifetime="28800" timeout="3600" relayState="ss:mem" checkAddress="false" handlerSSL="false" cookieProps="http">
      <SSO entityID="${idpEntityId}">SAML2</SSO>
      <Logout>SAML2 Local</Logout>
      <Handler type="MetadataGenerator" Location="/Metadata" signing="false"/>
    </Sessions>
    <MetadataProvider type="XML" validate="false" path="${root}/idp.xml"/>
    <AttributeExtractor type="XML" validate="false" path="${root}/attribute-map.xml"/>
    <CredentialResolver type="File" key="${root}/sp.key" certificate="${root}/sp.crt"/>
  </ApplicationDefaults>
  <SecurityPolicyProvider type="XML" validate="true" path="/etc/shibboleth/security-policy.xml"/>
  <ProtocolProvider type="XML" validate="true" reloadChanges="false" path="/etc/shibboleth/protocols.xml"/>
</SPConfig>
`;

export async function startShibboleth(context: Skippable, options: SiteOptions): Promise<SamlSite> {
  let stopDaemon = async () => {};
  const apache = await startApache(context, {
    module: 'shib',
    symbol: 'mod_shib',
    debianPackage: 'libapache2-mod-shib',
    configure: async ({ root, baseUrl }) => {
      await keyFiles(root, options);
      writeFileSync(join(root, 'attribute-map.xml'), attributeMap);
      writeFileSync(join(root, 'shibboleth2.xml'), shibbolethConfiguration(root, baseUrl, options.idpEntityId));
      stopDaemon = await startShibd(context, root);
      return `
        ShibConfig ${root}/shibboleth2.xml
        <Location /Shibboleth.sso>
          SetHandler shib
        </Location>
        <Location /protected>
          AuthType shibboleth
          ShibRequestSetting requireSession 1
          Require valid-user
        </Location>
        ${groupsHeader('groups')}`;
    },
  });
  return {
    name: 'Shibboleth',
    guarded: `${apache.baseUrl}/protected/`,
    logout: `${apache.baseUrl}/Shibboleth.sso/Logout`,
    entityId: `${apache.baseUrl}/shibboleth`,
    metadata: await (await fetch(`${apache.baseUrl}/Shibboleth.sso/Metadata`)).text(),
    groupsOf: ({ headers }) => (headers['x-groups'] ?? '').split(';'),
    stop: async () => {
      await apache.stop();
      await stopDaemon();
    },
  };
}

export async function startPysaml2(options: SiteOptions): Promise<SamlSite> {
  const root = mkdtempSync(join(tmpdir(), 'test-idp-pysaml2-'));
  await keyFiles(root, options);
  const port = await freePort();
  const script = fileURLToPath(new URL('./pysaml2-site.py', import.meta.url));
  const files = ['idp.xml', 'sp.key', 'sp.crt'].map((file) => join(root, file));
  const program = spawn('/usr/bin/python3', [script, String(port), ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { value, done } = await createInterface({ input: program.stdout })[Symbol.asyncIterator]().next();
  if (done === true) throw new Error('the site of pysaml2 does not start');
  const base = `http://127.0.0.1:${port}`;
  return {
    name: 'pysaml2',
    guarded: `${base}/protected/`,
    logout: `${base}/logout`,
    entityId: `${base}/metadata`,
    metadata: JSON.parse(value).metadata,
    groupsOf: ({ text }) => JSON.parse(text).attributes.groups,
    async stop() {
      const ended = new Promise((resolve) => program.once('exit', resolve));
      program.kill('SIGTERM');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export async function startNodeSaml({ idpUrl, idpCertificate, idpEntityId }: SiteOptions): Promise<SamlSite> {
  const key = await signingKey('sp');
  let loggedIn: Profile | undefined;
  let provider: SAML | undefined;
  const site = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const lead = (Location: string) => response.writeHead(302, { Location, 'Cache-Control': 'no-store' }).end();
    const answer = async (): Promise<unknown> => {
      if (provider === undefined) throw new Error('it is not ready');
      const posted = async (): Promise<Record<string, string>> => {
        const parts: Buffer[] = [];
        for await (const part of request) parts.push(part);
        return Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
      };
      switch (url.pathname) {
        case '/protected/':
          if (loggedIn === undefined) return lead(await provider.getAuthorizeUrlAsync('', undefined, {}));
          return response
            .writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
            .end(JSON.stringify(loggedIn));
        case '/acs':
          loggedIn = (await provider.validatePostResponseAsync(await posted())).profile ?? undefined;
          return lead('/protected/');
        case '/logout':
          if (loggedIn === undefined) throw new Error('no user is logged in');
          return lead(await provider.getLogoutUrlAsync(loggedIn, '', {}));
        case '/slo': {
          // Its metadata name HTTP-POST for this address.
          const form = await posted();
          loggedIn = undefined;
          if (form.SAMLRequest === undefined) {
            const { loggedOut } = await provider.validatePostResponseAsync(form);
            return response.end(loggedOut ? 'logged out' : 'not logged out');
          }
          const { profile } = await provider.validatePostRequestAsync(form);
          return lead(await provider.getLogoutResponseUrlAsync(profile, form.RelayState ?? '', {}, true));
        }
        default:
          return response.writeHead(404).end();
      }
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  provider = new SAML({
    callbackUrl: `${base}/acs`,
    entryPoint: `${idpUrl}/saml/sso`,
    logoutUrl: `${idpUrl}/saml/slo`,
    logoutCallbackUrl: `${base}/slo`,
    issuer: `${base}/metadata`,
    audience: `${base}/metadata`,
    idpIssuer: idpEntityId,
    idpCert: idpCertificate,
    privateKey: privateKeyPem(key),
    publicCert: key.certificatePem,
    signatureAlgorithm: 'sha256',
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.always,
  });
  const made = provider.generateServiceProviderMetadata(null, key.certificatePem);
  return {
    name: 'node-saml',
    guarded: `${base}/protected/`,
    logout: `${base}/logout`,
    entityId: `${base}/metadata`,
    metadata: made,
    groupsOf: ({ text }) => JSON.parse(text).groups,
    stop: () => new Promise((resolve) => site.close(() => resolve())),
  };
}
