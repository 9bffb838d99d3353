// A request as the recorder observes it, for tests that vary some of it.
import { instant } from '#shared/base/clock.ts';
import type { ObservedExchange } from '#shared/engine/recorder/observed-exchange.ts';

export const observedExchange = (given: Partial<ObservedExchange> = {}): ObservedExchange => ({
  ...{ endpoint: 'token', at: instant(0), clock: instant(0), durationMilliseconds: 1, method: 'POST', path: '/token' },
  ...{ status: 200, clientId: undefined, username: undefined, sp: undefined, grantType: undefined },
  ...{ decision: 'accepted', reason: undefined, refusal: undefined, fault: undefined, details: undefined },
  ...{ parameters: [], namedInJson: [], requestHeaders: {}, responseHeaders: {}, answer: {}, soap: undefined },
  ...{ noticed: undefined, browser: undefined, flows: [], address: undefined, requestId: 'r', repeatKey: undefined },
  ...given,
});
