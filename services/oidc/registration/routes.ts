// The paths of dynamic registration, which exist only while the feature is on (DCR-01, DCR-28).
import type { Route } from '#shared/http/route.ts';
import { deleteRegistration, readRegistration } from './manage.ts';
import { register } from './register.ts';

const existsWhile: Route['existsWhile'] = ({ settings }) => settings.oauth.dynamic_registration.enabled;

export const registrationRoutes: readonly Route[] = [
  {
    path: '/register',
    faultyAs: 'register',
    surface: 'protocol',
    existsWhile,
    methods: { POST: register },
    noStore: ['POST'],
    rateBucket: 'register',
  },
  {
    path: '/register/:client_id',
    faultyAs: 'register',
    surface: 'protocol',
    existsWhile,
    methods: { GET: readRegistration, DELETE: deleteRegistration },
    noStore: ['GET'],
  },
];
