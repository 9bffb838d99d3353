// What the applications in JavaScript have in common: what they are told, a port of their own, and the page for whoever is
// logged in. Each file beside this one is its library's own first example with those values. `said` is what the library has to
// be told besides, by its own names.
import { createServer } from 'node:http';

export const { issuer, clientId, clientSecret, said } = JSON.parse(process.argv[2] ?? '{}');

/** Long enough for every library that signs or encrypts its cookies. */
export const cookieSecret = 'a-secret-of-this-application-that-is-long-enough';

/** Serves what `build` makes of the application's own address, and says where a person begins to log in. */
export async function serve(login, build) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  server.on('request', await build(base));
  process.stdout.write(`${JSON.stringify({ login: base + login })}\n`);
}

/** The page that greets a person. */
export function greet(response, { name = '', email = '' }) {
  response.set('content-type', 'text/plain').send(`logged in\n${name}\n${email}\n`);
}
