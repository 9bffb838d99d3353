// A verdict ends with the connection that asked for it, and with the worker.
import { expect } from 'chai';
import { verdictApiRoutes } from '#services/management/api/verdict.ts';
import { verdictPage } from '#services/management/pages/verdict.tsx';
import { Parameters } from '#shared/base/parameters.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { ApiError, PageError } from '#shared/engine/exchange/route.ts';
import { type EndpointContext, formRequest, openEndpointContext } from '#test/support/endpoint-context.ts';

const request: ParsedRequest = { ...formRequest({}), method: 'GET', query: new Parameters([['client_id', 'web']]) };
const showVerdict = verdictApiRoutes[0]?.methods.GET;

describe('a verdict in the making', () => {
  let opened: EndpointContext | undefined;
  afterEach(() => opened?.close());

  for (const [surface, endpoint] of Object.entries({ '/api/verdict': showVerdict, '/verdict': verdictPage })) {
    const failure = async (given: Partial<ManagementContext>): Promise<unknown> => {
      opened = await openEndpointContext({}, given);
      try {
        return await endpoint?.(request, opened.context);
      } catch (error) {
        return error;
      }
    };

    it(`of ${surface} ends with the connection`, async () => {
      const clientLeft = new Error('the client went away');
      expect(await failure({ disconnected: () => AbortSignal.abort(clientLeft) })).to.equal(clientLeft);
    });

    it(`of ${surface} ends with the worker, as 503`, async () => {
      const error = await failure({ held: { wait: async () => false, isEnding: true } });
      if (!(error instanceof ApiError || error instanceof PageError)) throw new Error(`not rejected: ${String(error)}`);
      expect(error instanceof PageError, 'a page').to.equal(surface === '/verdict');
      expect(error.status).to.equal(503);
      expect(error.message).to.include('stop');
    });
  }
});
