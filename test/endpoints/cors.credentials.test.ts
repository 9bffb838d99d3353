// Cross-origin requests of browsers that send credentials (section CRS), at every route of the program.
import { expect } from 'chai';
import { postForm } from '#test/support/http.ts';
import { routes } from '#test/support/route-of.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, registering } from '#test/support/worlds.ts';

const origin = 'http://localhost:5173';

/** The paths of CRS-02, as the program declares them. */
const readNoCookie = [
  ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/.well-known/jwks.json'],
  ...['/token', '/userinfo', '/introspect', '/revoke', '/device_authorization', '/device/code', '/par'],
  ...['/register', '/register/:client_id', '/saml/metadata', '/saml/cert.pem'],
];

function corsOf({ headers }: Response): readonly (string | null)[] {
  return ['access-control-allow-origin', 'access-control-allow-credentials', 'vary'].map((name) => headers.get(name));
}

async function preflight(address: string): Promise<readonly (string | null)[]> {
  const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
  return corsOf(await fetch(address, { method: 'OPTIONS', headers }));
}

const credentialsAllowed = [origin, 'true', 'Origin'];

describe('credentials across origins under dev without a list', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance', world: registering });
  });
  after(() => idp.stop());

  verifies(['CRS-01', 'HDR-04'], 'are allowed in responses, errors included, and in preflights', async () => {
    const { baseUrl } = idp;
    const headers = { Origin: origin };
    const answers: readonly (readonly [Response, number])[] = [
      [await fetch(`${baseUrl}/.well-known/openid-configuration`, { headers }), 200],
      [await fetch(`${baseUrl}/saml/metadata`, { headers }), 200],
      [await postForm(`${baseUrl}/token`, { grant_type: 'x' }, headers), 400],
      [await fetch(`${baseUrl}/token`, { headers }), 405],
      [await fetch(`${baseUrl}/userinfo`, { headers }), 401],
      [await fetch(`${baseUrl}/register`, { method: 'POST', headers }), 400],
    ];
    for (const [answer, status] of answers) {
      expect([answer.status, ...corsOf(answer)], answer.url).to.deep.equal([status, ...credentialsAllowed]);
    }
    expect(await preflight(`${baseUrl}/token`)).to.deep.equal(credentialsAllowed);
  });

  verifies('CRS-02', 'are allowed at every endpoint that reads no cookie, also in a sandbox', async () => {
    const { prefix } = await makeSandbox(idp);
    for (const path of readNoCookie) {
      for (const address of [idp.baseUrl + path, idp.baseUrl + prefix + path]) {
        expect(await preflight(address.replace(':client_id', 'dcr-x')), address).to.deep.equal(credentialsAllowed);
      }
    }
  });

  verifies(['CRS-03', 'HDR-11'], 'are allowed at no other path', async () => {
    const others = routes.map(({ path }) => path).filter((path) => !readNoCookie.includes(path));
    expect(others).to.include.members(['/authorize', '/login', '/logout', '/device', '/saml/sso', '/saml/slo', '/']);
    for (const path of [...others, '/nowhere']) {
      const [, credentials] = await preflight(idp.baseUrl + path.replace(/:\w+/g, 'x'));
      expect([path, credentials]).to.deep.equal([path, null]);
    }
  });

  verifies(['CRS-03', 'HDR-04'], 'change nothing for a request without Origin', async () => {
    const [allowed, credentials] = corsOf(await fetch(`${idp.baseUrl}/.well-known/jwks.json`));
    expect([allowed, credentials]).to.deep.equal(['*', null]);
  });
});

describe('credentials across origins by profile and list', () => {
  const jwksOf = async (settings: object): Promise<readonly (string | null)[]> => {
    const idp = await startIdp({ command: 'instance', settings: { ...demoSettings, ...settings } });
    try {
      return corsOf(await fetch(`${idp.baseUrl}/.well-known/jwks.json`, { headers: { Origin: origin } }));
    } finally {
      await idp.stop();
    }
  };

  verifies(['CRS-01', 'HDR-04', 'HDR-08', 'HDR-11'], 'are allowed to every origin only under dev', async () => {
    const answers = await Promise.all([
      jwksOf({ cors_allowed_originss: ['*'] }),
      jwksOf({ cors_allowed_originss: ['https://spa.example'] }),
      jwksOf({ security_profile: 'oauth21' }),
      jwksOf({ security_profile: 'oauth21', cors_allowed_originss: ['*'] }),
      jwksOf({ security_profile: 'stricter-dev' }),
    ]);
    expect(answers).to.deep.equal([
      credentialsAllowed,
      [null, null, 'Origin'],
      ['*', null, null],
      [origin, null, 'Origin'],
      [origin, null, 'Origin'],
    ]);
  });
});
