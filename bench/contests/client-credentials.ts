// A client's own token: parsing, authentication, one signature, one audit entry.
import type { Contender, Contest } from '../contest.ts';
import { tokenCheck, tokenRequest } from '../requests.ts';

const prepare: Contender['prepare'] = async (program) => ({
  request: tokenRequest(program, { grant_type: 'client_credentials' }),
  check: await tokenCheck(program),
});

export const clientCredentials: Contest = {
  title: 'client_credentials, 16 connections, ours with the audit and the recorder on',
  target: '>= 0.90 of bare node:http with the same signing, <= 0.45 ms, >= 2 × oidc-provider',
  signatures: 1,
  ours: { prepare },
  beside: [
    { name: 'bare, signing', start: ({ peer }) => peer('bare-token'), prepare },
    { name: 'oidc-provider', start: ({ peer }) => peer('oidc-provider'), prepare },
    { name: 'oauth2-mock-server', start: ({ peer }) => peer('oauth2-mock-server'), prepare },
  ],
};

export const twoWorkers: Contest = {
  title: 'client_credentials with two OIDC workers',
  target: 'not below one worker',
  signatures: 1,
  ours: { prepare, start: ({ ours }) => ours('--oidc-workers', '2') },
  beside: [{ name: 'one worker', start: ({ ours }) => ours(), prepare }],
};
