// The routes of the device flow (RFC 8628).
import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { postDeviceAuthorization } from './device-authorization.ts';
import { getDevice, postDevice } from './verification.ts';

const deviceAuthorization = {
  faultyAs: 'device_authorization',
  audience: 'protocol',
  overrides: readsNoCookie,
  methods: { POST: postDeviceAuthorization },
  noStore: true,
} as const;

export const deviceRoutes: readonly Route[] = [
  { path: '/device_authorization', ...deviceAuthorization },
  { path: '/device/code', ...deviceAuthorization },
  {
    path: '/device',
    faultyAs: 'device',
    audience: 'navigation',
    methods: { GET: getDevice, POST: postDevice },
  },
];
