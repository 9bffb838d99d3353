// The password grant with an ID token: three signatures.
import type { Contest } from '../contest.ts';
import { user } from '../programs.ts';
import { tokenCheck, tokenRequest } from '../requests.ts';

export const password: Contest = {
  title: 'password, three signatures',
  target: '>= 0.75 of what can be signed',
  signatures: 3,
  ours: {
    prepare: async (program) => ({
      request: tokenRequest(program, { grant_type: 'password', ...user, scope: 'openid' }),
      check: await tokenCheck(program),
    }),
  },
  beside: [],
};
