// The demonstration (`start --demo`): a relying party and a service provider on their own loopback address, which use
// the provider by HTTP alone. Only the boot order is here.
import { systemClock } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { openLogger } from '#shared/process/worker/open-logger.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/process/worker/run-worker.ts';
import { createDemonstration } from './application.ts';
import { providerApi } from './provider-api.ts';

const bootDemo: BootWorker = async (worker) => {
  const { demo, logLevel } = worker.start;
  if (demo?.baseUrl === undefined)
    throw new Error('The demonstration runs only beside a stack. Start it with test-idp start --demo.');
  const { url, baseUrl } = demo;
  const log = await openLogger('test-idp demo', logLevel ?? 'INFO');
  const surroundings = { random: () => systemRandomness.token(), now: () => systemClock.now() };
  const client = {
    client_id: 'demo-relying-party',
    client_secret: surroundings.random(),
    redirect_uri: `${url}/openid-connect/callback`,
  };
  const provider = { entityId: `${url}/saml/metadata`, acs: `${url}/saml/acs` };
  const api = providerApi(baseUrl, process.env.IDP_MANAGEMENT_SECRET || undefined);
  const server = createDemonstration({ url, baseUrl, client, provider, api, surroundings, log });
  await worker.listen(server, { host: '127.0.0.1', port: 0 }, log);
  return { drain: () => api.deleteClient(client, provider), close: async () => {} };
};

void runUnderSupervisor('demo', bootDemo);
