// The facts that the OpenID Connect service knows about a request for matching faults, beyond the request itself.
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { RequestFacts } from '#shared/engine/faults/fault-row.ts';
import type { ReadFacts } from '#shared/engine/faults/request-facts.ts';
import { shownCredentials } from './dpop/bound-token.ts';
import { findLiveToken } from './live-token.ts';
import { grantOf } from './token/grants/index.ts';

export const oidcFacts: ReadFacts = async (request, context) => {
  switch (request.path) {
    case '/token':
      return (await grantOf(request.form.value('grant_type'))?.readFacts?.(request.form, context)) ?? {};
    case '/userinfo':
      return atUserInfo(request, context);
    default:
      return {};
  }
};

async function atUserInfo({ headers, form }: ParsedRequest, context: ProtocolContext): Promise<RequestFacts> {
  const shown = shownCredentials(headers.authorization, context);
  const token = await findLiveToken(shown.kind === 'token' ? shown.token : form.value('access_token'), context);
  return {
    presentsLiveToken: token.live && token.use === 'access',
    scheme: shown.kind === 'token' ? shown.scheme : undefined,
  };
}
