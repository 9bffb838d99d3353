// The SAML front end over open services: for a worker process, or for a program that runs an instance in its own
// process.

import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { errorPageRenderer } from '#shared/web/pages/error-page.tsx';
import { createFrontend, type Frontend } from '#shared/web/pipeline/frontend.ts';
import { samlApp, samlFrontendRoutes } from './app.ts';
import { samlFacts } from './fault-facts.ts';

/** Holds no state of a request or an instance, so the whole process shares it. */
const app = samlApp();

/** `relayed`: its requests arrive through the private socket of the OIDC worker. */
export function samlFrontend(services: ProcessServices, { relayed }: { readonly relayed: boolean }): Frontend {
  return createFrontend({
    ...{ app, routes: samlFrontendRoutes, services },
    renderErrorPage: errorPageRenderer(),
    relayed,
    readFacts: samlFacts,
  });
}
