// What the OpenID Connect service knows of a request for the faults that it may meet, beyond what the request says of itself.
import type { ReadFacts } from '#shared/engine/faults/request-facts.ts';
import { shownCredentials } from './dpop/bound-token.ts';
import { findLiveToken } from './live-token.ts';

export const oidcFacts: ReadFacts = async ({ path, headers, form }, context) => {
  if (path !== '/userinfo') return {};
  const shown = shownCredentials(headers.authorization, context);
  const token = await findLiveToken(shown.kind === 'token' ? shown.token : form.value('access_token'), context);
  return {
    presentsLiveToken: token.live && token.use === 'access',
    scheme: shown.kind === 'token' ? shown.scheme : undefined,
  };
};
