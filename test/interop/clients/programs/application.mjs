// What the JavaScript applications share: their configuration, a port of their own, and the page for a logged-in user. Each
// other file here is its library's first example with those values. `said` contains the library's own further options.
import { createServer } from 'node:http';

export const { issuer, clientId, clientSecret, said } = JSON.parse(process.argv[2] ?? '{}');

/** Long enough for every library that signs or encrypts its cookies. */
export const cookieSecret = 'a-secret-of-this-application-that-is-long-enough';

/** Serves the application that `build` creates for its own address, and prints the address where a login starts. */
export async function serve(login, build) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  server.on('request', await build(base));
  process.stdout.write(`${JSON.stringify({ login: base + login })}\n`);
}

/** The page that greets a user. */
export function greet(response, { name = '', email = '' }) {
  response.set('content-type', 'text/plain').send(`logged in\n${name}\n${email}\n`);
}
