// Userinfo with a token of the code flow.
import type { Contest, Prepared } from '../contest.ts';
import type { Operation } from '../http-load.ts';
import { codeFlow, get, once, tokensOf } from '../requests.ts';
import type { StartedProgram } from '../started-program.ts';
import { codeFlowOfOidcProvider } from './oidc-provider-flow.ts';

async function prepare(program: StartedProgram, flow: Operation, path: string): Promise<Prepared> {
  const { access_token } = tokensOf(await once(program, flow));
  return {
    request: get(program, path, { Authorization: `Bearer ${access_token}` }),
    check: ({ body }) => {
      if (JSON.parse(body).sub !== 'admin') throw new Error(`not about the user: ${body}`);
    },
  };
}

export const userinfo: Contest = {
  title: 'userinfo',
  target: '>= 9,000/s',
  ours: { prepare: (program) => prepare(program, codeFlow(program), '/userinfo') },
  beside: [
    {
      name: 'oidc-provider',
      start: ({ peer }) => peer('oidc-provider', '--opaque'),
      prepare: (program) => prepare(program, codeFlowOfOidcProvider(program), '/me'),
    },
  ],
};
