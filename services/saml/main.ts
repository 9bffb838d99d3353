// PROCESS 3, the SAML identity provider. Under a supervisor it listens on the private socket behind the OIDC worker,
// alone on its own address. Only the boot order is here.
import { createPublicServer, createRelayedServer } from '#shared/process/tls/public-server.ts';
import { openProcessServices } from '#shared/process/worker/open-process-services.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/process/worker/run-worker.ts';
import { samlFrontend } from './frontend.ts';

export const bootSaml: BootWorker = async (worker) => {
  const relayed = worker.start.stack !== undefined;
  const { services, address, caFile, close } = await openProcessServices(worker, { servesPublicPort: !relayed });
  const frontend = samlFrontend(services, { relayed });
  const { listener } = frontend;
  const server = relayed ? createRelayedServer(listener) : createPublicServer(listener, services.tls);
  await worker.listen(server, address, services.log);
  return { drain: () => frontend.beginDrain(), close, caFile };
};

void runUnderSupervisor('saml', bootSaml);
