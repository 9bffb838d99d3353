// PROCESS 2, the OIDC worker with the public port: OAuth 2.0, OpenID Connect, the REST API and the web UI, and the
// relay to the SAML front end. Only the boot order is here.
import { createPublicServer } from '#shared/process/tls/public-server.ts';
import { openProcessServices } from '#shared/process/worker/open-process-services.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/process/worker/run-worker.ts';
import { oidcFrontend } from './frontend.ts';
import { createSamlRelay } from './saml-relay.ts';

export const bootOidc: BootWorker = async (worker) => {
  const { services, address, caFile, close } = await openProcessServices(worker, { servesPublicPort: true });
  const { stack } = worker.start;
  const relay =
    stack === undefined
      ? undefined
      : createSamlRelay({ socketPath: stack.samlSocket, stopwatch: services.stopwatch, log: services.log });
  const frontend = oidcFrontend(services, relay?.tryRelay);
  await worker.listen(createPublicServer(frontend.listener, services.tls), address, services.log);
  return {
    drain: () => {
      frontend.beginDrain();
      relay?.beginDrain();
    },
    close,
    caFile,
  };
};

void runUnderSupervisor('oidc', bootOidc);
