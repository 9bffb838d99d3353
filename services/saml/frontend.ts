// The SAML frontend over services that are open: whoever serves it, a process of its own or a program within itself.

import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { errorPageRenderer } from '#shared/web/pages/error-page.tsx';
import { createFrontend, type Frontend } from '#shared/web/pipeline/frontend.ts';
import { samlApp, samlFrontendRoutes } from './app.ts';
import { samlFacts } from './fault-facts.ts';

/** It keeps nothing of a request or of an instance, so that all of a process share it. */
const app = samlApp();

/** `relayed`: its requests come through the private socket of the door. */
export function samlFrontend(services: ProcessServices, { relayed }: { readonly relayed: boolean }): Frontend {
  return createFrontend({
    ...{ app, routes: samlFrontendRoutes, services },
    renderErrorPage: errorPageRenderer(),
    relayed,
    readFacts: samlFacts,
  });
}
