// An application that logs people in with OpenID Connect: code flow with PKCE, ID token verified by the published keys.
// Nothing but Node.js. ISSUER is the one address of the identity provider, for the browser and for this program alike.
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';

const {
  ISSUER = 'http://localhost:8000',
  PORT = '3000',
  CLIENT_ID = 'demo-app',
  CLIENT_SECRET = 'demo-app-secret',
} = process.env;
const callback = process.env.CALLBACK ?? `http://localhost:${PORT}/callback`;
const logins = new Map();

const json = async (response) => {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response.json();
};
const provider = await json(await fetch(`${ISSUER}/.well-known/openid-configuration`));
if (provider.issuer !== ISSUER) throw new Error(`${ISSUER} says that it is ${provider.issuer}`);

function authorizationUrl() {
  const [state, nonce, verifier] = [0, 0, 0].map(() => randomBytes(32).toString('base64url'));
  logins.set(state, { nonce, verifier });
  return `${provider.authorization_endpoint}?${new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: callback,
    scope: 'openid',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })}`;
}

async function finishLogin(query) {
  const login = logins.get(query.get('state'));
  if (login === undefined || !logins.delete(query.get('state')))
    throw new Error('no login is waiting for this response');
  if (query.has('error')) throw new Error(`${query.get('error')}: ${query.get('error_description')}`);
  const tokens = await json(
    await fetch(provider.token_endpoint, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: query.get('code'),
        redirect_uri: callback,
        code_verifier: login.verifier,
      }),
    }),
  );
  return verified(tokens.id_token, login.nonce);
}

async function verified(token, nonce) {
  const [head, payload, signature] = token.split('.');
  const parse = (part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  const { alg, kid } = parse(head);
  const { keys } = await json(await fetch(provider.jwks_uri));
  const jwk = keys.find((key) => key.kid === kid);
  if (alg !== 'RS256' || jwk === undefined) throw new Error('the ID token names no published key');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const good = verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'));
  const claims = parse(payload);
  const audience = [claims.aud].flat();
  if (!good || claims.iss !== ISSUER || !audience.includes(CLIENT_ID) || claims.nonce !== nonce) {
    throw new Error('the ID token is not meant for this login');
  }
  if (claims.exp * 1000 <= Date.now()) throw new Error('the ID token has expired');
  return claims;
}

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, callback);
  try {
    if (pathname === '/health') return response.end('ok');
    if (pathname !== '/callback') return response.writeHead(302, { Location: authorizationUrl() }).end();
    const { sub } = await finishLogin(searchParams);
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    return response.end(`Hello ${sub}\n`);
  } catch (error) {
    return response.writeHead(400, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${error.message}\n`);
  }
}).listen(Number(PORT), function listening() {
  process.stdout.write(`http://localhost:${this.address().port}\n`);
});
