// The code flow with PKCE in a browser that is not logged in yet: login page, login, code, tokens.
import type { Contest } from '../contest.ts';
import { codeFlow, tokenCheck } from '../requests.ts';
import { codeFlowOfOidcProvider } from './oidc-provider-flow.ts';

export const code: Contest = {
  title: 'code with PKCE and login, three signatures, page, login and redemption',
  target: '>= 900/s, >= 4 × oidc-provider',
  signatures: 3,
  ours: { prepare: async (program) => ({ request: () => codeFlow(program), check: await tokenCheck(program) }) },
  beside: [
    {
      name: 'oidc-provider',
      start: ({ peer }) => peer('oidc-provider'),
      prepare: async (program) => ({
        request: () => codeFlowOfOidcProvider(program),
        check: await tokenCheck(program),
      }),
    },
  ],
};
