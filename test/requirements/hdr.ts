// Section HDR: headers, CORS, limits, cookies.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'HDR-01', says: 'Answers with tokens or credentials, errors included, are not to be stored.' },
  { id: 'HDR-02', says: 'Answers the endpoint did not build, discovery and key set carry no such headers.' },
  { id: 'HDR-03', says: 'A page asking for a TOTP code is not to be stored.' },
  {
    id: 'HDR-04',
    says: 'Without a declared list dev and oauth21 allow every origin to read protocol endpoints, health and static files, and none the rest (D48).',
  },
  { id: 'HDR-05', says: 'Without one stricter-dev allows loopback origins with any port.' },
  { id: 'HDR-06', says: 'A listed origin is answered with itself, another with nothing.' },
  { id: 'HDR-07', says: 'With a list, answers vary by Origin and requests without one get no CORS header.' },
  { id: 'HDR-08', says: 'A declared star allows every origin that names itself.' },
  { id: 'HDR-09', says: 'The empty list allows nobody.' },
  { id: 'HDR-10', says: 'Every path has CORS, and preflights name methods and headers.' },
  { id: 'HDR-11', says: 'Credentials are allowed for explicitly listed origins at most.' },
  { id: 'HDR-12', says: 'A cross-site write by a browser is refused unless its origin is listed by name.' },
  { id: 'HDR-13', says: 'A program that sends no browser headers is not refused for that.' },
  { id: 'HDR-14', says: 'Token requests beyond the rate are answered 429 with Retry-After.' },
  { id: 'HDR-15', says: 'Registration has the same rate, counted apart.' },
  { id: 'HDR-16', says: 'Without rate limiting nobody is answered 429.' },
  { id: 'HDR-17', says: 'Bodies above 1 MiB are answered 413.' },
  { id: 'HDR-18', says: 'Malformed JSON is answered 400.' },
  { id: 'HDR-19', says: 'Unknown paths are 404, as JSON or as a page for browsers.' },
  { id: 'HDR-20', says: 'Other methods of a known path are 405 with Allow.' },
  { id: 'HDR-21', says: 'The session cookie is signed, HttpOnly, SameSite=Lax, and Secure on https.' },
  { id: 'HDR-22', says: 'No path has a version segment.' },
  { id: 'HDR-23', says: 'Bound to loopback, web UI, exports and /api answer at its own names alone, else 421 (D42).' },
];
