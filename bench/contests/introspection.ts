// Introspection of a client's own token: a JWT for ours, an opaque one for the peer.
import type { Contest, Prepared } from '../contest.ts';
import { ofClient, once, tokenRequest, tokensOf } from '../requests.ts';
import type { StartedProgram } from '../started-program.ts';

async function prepare(program: StartedProgram, path: string): Promise<Prepared> {
  const request = tokenRequest(program, { grant_type: 'client_credentials' });
  const { access_token: token } = tokensOf(await once(program, (ask) => ask(request)));
  return {
    request: ofClient(program, path, { token }),
    check: ({ body }) => {
      if (JSON.parse(body).active !== true) throw new Error(`not active: ${body}`);
    },
  };
}

export const introspection: Contest = {
  title: 'introspection',
  target: '>= 9,000/s, >= 2 × oidc-provider',
  ours: { prepare: (program) => prepare(program, '/introspect') },
  beside: [
    {
      name: 'oidc-provider',
      start: ({ peer }) => peer('oidc-provider', '--opaque'),
      prepare: (program) => prepare(program, '/token/introspection'),
    },
  ],
};
