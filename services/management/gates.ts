// The gates before an endpoint of the REST API or of the web UI. They check for cross-site writes, the management
// secret, undeclared names, and the login of require_ui_login. Each gate wraps an endpoint.

import { refuseCoded } from '#shared/engine/exchange/content-coding.ts';
import { isCrossSiteWrite, refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import type { Operation } from '#shared/engine/exchange/operation.ts';
import { type Reply, redirect, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { Endpoint, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { ownReturnPath } from '#shared/engine/exchange/return-path.ts';
import { apiError, type HttpMethod, type Route } from '#shared/engine/exchange/route.ts';
import { currentLogin } from '#shared/engine/login/browser-sessions.ts';
import { loginErrorPath } from '#shared/engine/login/login-errors.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { bodyRefused } from '#shared/web/pipeline/bound-body.ts';
import { isUnlocked, managementSecretHeader, mayWrite, unlockField, unlockingCookie } from './management-secret.ts';
import { requireDeclaredNames } from './strict-request.ts';

const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * A write under /api: 403 from another site (WEB-22), 401 without the management secret (RST-15). Both come before the
 * body is checked, its size included (RST-16).
 */
function gatedApiWrite(endpoint: Endpoint): Endpoint {
  return async (request, context) => {
    if (isCrossSiteWrite(request, context)) {
      throw apiError(managementRefusals.write_from_another_site);
    }
    if (!(await mayWrite(request, context))) {
      throw apiError(managementRefusals.management_secret_wrong, { header: managementSecretHeader });
    }
    if (request.bodyRefusal !== undefined) return bodyRefused(request.bodyRefusal);
    return refuseCoded(request.headers, request.bodyLength) ?? endpoint(request, context);
  };
}

/**
 * Names that the operation does not declare are rejected (TTK-07, TTK-08). So is an empty filter from an unset variable:
 * without a filter, everything would be removed.
 */
function namedAsDeclared(endpoint: Endpoint, operation: Operation): Endpoint {
  if (operation.checksItsNames === true) return endpoint;
  return async (request, context) => {
    requireDeclaredNames(operation, request);
    const empty = request.query.pairs.find(([, value]) => value === '');
    if (operation.doesMostWithout === true && empty !== undefined) {
      const problem = `The query parameter ${empty[0]} has no value.`;
      throw apiError(managementRefusals.removal_filter_wrong, { problem });
    }
    return endpoint(request, context);
  };
}

/** The route with every write behind the gate, even writes that it does not serve. Reads are open. */
export function gatedApiRoute(route: Route): Route {
  const methods: Partial<Record<HttpMethod, Endpoint>> = {};
  for (const method of httpMethods) {
    const endpoint = route.methods[method];
    if (endpoint === undefined) continue;
    const operation = route.operations?.[method];
    const strict = operation === undefined ? endpoint : namedAsDeclared(endpoint, operation);
    methods[method] = method === 'GET' ? strict : gatedApiWrite(strict);
  }
  return { ...route, methods, gate: gatedApiWrite, seesRefusedBody: true };
}

/** A page of the web UI: with require_ui_login a browser without session is redirected to the login (WEB-19). */
export function uiPage(endpoint: Endpoint): Endpoint {
  return async (request, context) => (await loginRequired(request, context)) ?? endpoint(request, context);
}

/**
 * A state-changing request of the web UI: same site, logged in where that is required, unlocked (WEB-19 to WEB-23). A
 * form may contain the management secret, so that users do not lose their input by unlocking first.
 */
export function uiAction(endpoint: Endpoint): Endpoint {
  return async (request, context) => {
    refuseCrossSite(request, context, 'change');
    const refused = await loginRequired(request, context);
    if (refused !== undefined) return refused;
    if (await isUnlocked(context)) return endpoint(request, context);
    const typed = request.form.value(unlockField);
    if (typed === undefined || typed === '') return redirect(context.path('/login?error=management_locked'));
    const cookie = await unlockingCookie(typed, context);
    if (cookie === undefined) return redirect(context.path('/login?error=wrong_management_secret'));
    return withHeaders(await endpoint(request, context), { 'Set-Cookie': cookie });
  };
}

async function loginRequired(request: ParsedRequest, context: ProtocolContext): Promise<Reply | undefined> {
  if (!context.snapshot.settings.require_ui_login) return undefined;
  const login = await currentLogin(context);
  if (login !== undefined) return undefined;
  const returnPath = request.method === 'GET' ? ownReturnPath(pathWithQuery(request)) : undefined;
  return redirect(context.path(loginErrorPath('login_required', returnPath)));
}

function pathWithQuery({ path, rawQuery }: ParsedRequest): string {
  return rawQuery === '' ? path : `${path}?${rawQuery}`;
}
