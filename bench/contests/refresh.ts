// A family of refresh tokens on each connection: every token is used once, and its successor is used next.
import type { Contest } from '../contest.ts';
import { user } from '../programs.ts';
import { tokenCheck, tokenRequest, tokensOf } from '../requests.ts';

export const refresh: Contest = {
  title: 'refresh with an ID token, three signatures',
  target: '>= 0.70 of what can be signed',
  signatures: 3,
  ours: {
    prepare: async (program) => {
      const first = tokenRequest(program, { grant_type: 'password', ...user, scope: 'openid' });
      return {
        request: () => {
          let refreshToken: string | undefined;
          return async (ask) => {
            refreshToken ??= tokensOf(await ask(first)).refresh_token ?? '';
            const answer = await ask(
              tokenRequest(program, { grant_type: 'refresh_token', refresh_token: refreshToken }),
            );
            if (answer.status === 200) refreshToken = tokensOf(answer).refresh_token ?? refreshToken;
            return answer;
          };
        },
        check: await tokenCheck(program),
      };
    },
  },
  beside: [],
};
