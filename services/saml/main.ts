// PROCESS 3, the SAML identity provider. Under a supervisor it listens on the private socket behind the door, alone on an
// address of its own. Boot order and nothing else.
import { createServer } from 'node:http';
import { createFrontend } from '#shared/http/pipeline/frontend.ts';
import { errorPageRenderer } from '#shared/pages/error-page.tsx';
import { idleMillisecondsMax } from '#shared/worker/listen-here.ts';
import { openProcessServices } from '#shared/worker/open-process-services.ts';
import { type BootWorker, runUnderSupervisor } from '#shared/worker/run-worker.ts';
import { samlFrontendRoutes } from './app.ts';
import { samlFacts } from './saml-facts.ts';

export const bootSaml: BootWorker = async (worker) => {
  const { services, address, close } = await openProcessServices(worker);
  const relayed = worker.start.stack !== undefined;
  const frontend = createFrontend({
    routes: samlFrontendRoutes,
    services,
    renderErrorPage: errorPageRenderer(),
    relayed,
    readFacts: samlFacts,
  });
  await worker.listen(
    createServer({ keepAliveTimeout: idleMillisecondsMax }, frontend.listener),
    address,
    services.log,
  );
  return { drain: () => frontend.beginDrain(), close };
};

await runUnderSupervisor('saml', bootSaml);
