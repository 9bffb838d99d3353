// The web UI's routes: pages behind require_ui_login, actions behind every gate (WEB-19, WEB-20, WEB-22).
import type { Route } from '#shared/http/route.ts';

export const pageRoutes: readonly Route[] = [];
