// The documents that clients read: discovery and keys.
import type { Contender, Contest } from '../contest.ts';
import { get } from '../requests.ts';

function document(title: string, member: string, path: string, peerPath: string): Contest {
  const prepare =
    (at: string): Contender['prepare'] =>
    (program) => ({
      request: get(program, at),
      check: ({ body }) => {
        if (!Object.hasOwn(JSON.parse(body), member)) throw new Error(`no ${member}: ${body.slice(0, 300)}`);
      },
    });
  return {
    title,
    target: '>= 0.75 of bare node:http',
    ours: { prepare: prepare(path) },
    beside: [
      {
        name: 'bare node:http',
        start: ({ peer }) => peer('bare-http'),
        prepare: (program) => ({ request: get(program, '/'), check: () => {} }),
      },
      { name: 'oidc-provider', start: ({ peer }) => peer('oidc-provider'), prepare: prepare(peerPath) },
    ],
  };
}

const discoveryPath = '/.well-known/openid-configuration';

export const discovery = document('discovery', 'issuer', discoveryPath, discoveryPath);
export const jwks = document('jwks', 'keys', '/.well-known/jwks.json', '/jwks');
