// GET /health and GET /api/health of the door (RST-01); a SAML worker alone answers the same ones.
export { healthRoutes } from '#shared/http/health-routes.ts';
