// The OIDC frontend over services that are open: whoever serves it, a process of its own or a program within itself.

import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { errorPageRenderer } from '#shared/web/pages/error-page.tsx';
import { createFrontend, type Frontend, type FrontendOptions } from '#shared/web/pipeline/frontend.ts';
import { oidcApp, oidcRoutes } from './app.ts';
import { oidcFacts } from './fault-facts.ts';

/** It keeps nothing of a request or of an instance, so that all of a process share it. */
const app = oidcApp();

/** `relay` takes what the SAML frontend answers; undefined: nobody does. */
export function oidcFrontend(services: ProcessServices, relay: FrontendOptions['relay']): Frontend {
  const renderErrorPage = errorPageRenderer({ href: '/', text: 'To the dashboard' });
  return createFrontend({
    ...{ app, routes: oidcRoutes, services, renderErrorPage },
    ...{ relayed: false, readFacts: oidcFacts, relay },
  });
}
