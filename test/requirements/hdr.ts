// Section HDR: headers, CORS, limits, cookies.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'HDR-01', says: 'Responses with tokens or credentials, including errors, must not be stored.' },
  { id: 'HDR-02', says: 'Responses that the endpoint did not create, discovery and key set have no such headers.' },
  { id: 'HDR-03', says: 'A page that requests a TOTP code must not be stored.' },
  {
    id: 'HDR-04',
    says: 'Without a declared list, dev and oauth21 let every origin read protocol endpoints, health and static files, and nothing else (D48). The header is *, or the origin where CRS-01 allows credentials.',
  },
  { id: 'HDR-05', says: 'Without a list, stricter-dev allows loopback origins with any port.' },
  { id: 'HDR-06', says: 'A listed origin is returned, another is not.' },
  { id: 'HDR-07', says: 'With a list, responses vary by Origin, and requests without Origin get no CORS header.' },
  {
    id: 'HDR-08',
    says: 'A declared star allows every origin that is sent, under dev with credentials where CRS-01 says so.',
  },
  { id: 'HDR-09', says: 'The empty list allows no origin.' },
  { id: 'HDR-10', says: 'Every path has CORS, and preflights name methods and headers.' },
  {
    id: 'HDR-11',
    says: 'Credentials are only allowed for explicitly listed origins, and for every origin where CRS-01 says so.',
  },
  { id: 'HDR-12', says: 'A cross-site write by a browser is rejected unless its origin is listed.' },
  { id: 'HDR-13', says: 'A program that sends no browser headers is not rejected for that.' },
  { id: 'HDR-14', says: 'Token requests above the rate limit get 429 with Retry-After.' },
  { id: 'HDR-15', says: 'Registration has the same rate limit, counted separately.' },
  { id: 'HDR-16', says: 'Without rate limiting, no request gets 429.' },
  { id: 'HDR-17', says: 'Bodies above 1 MiB get 413.' },
  { id: 'HDR-18', says: 'Malformed JSON gets 400.' },
  { id: 'HDR-19', says: 'Unknown paths return 404, as JSON or as a page for browsers.' },
  { id: 'HDR-20', says: 'Other methods of a known path return 405 with Allow.' },
  { id: 'HDR-21', says: 'The session cookie is signed, HttpOnly, SameSite=Lax, and Secure for https.' },
  { id: 'HDR-22', says: 'No path has a version segment.' },
  {
    id: 'HDR-23',
    says: 'If bound to loopback, web UI, exports and /api respond only to their own host names, and otherwise with 421 (D42).',
  },
];
