// Section DEV of the contract: the device flow.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'DEV-01', says: 'Both paths return codes, addresses, lifetime and interval.' },
  { id: 'DEV-02', says: 'A user code is eight letters of the alphabet without vowels.' },
  { id: 'DEV-03', says: 'Lifetime and interval are the settings of device_flow.' },
  { id: 'DEV-04', says: 'The addresses are the verification base with /device, the second with the code.' },
  { id: 'DEV-05', says: 'Scope and resource are rejected as at the token endpoint.' },
  { id: 'DEV-06', says: 'Clients of metadata documents cannot use the flow.' },
  { id: 'DEV-07', says: 'Without space or unused codes, the response is 503 with the interval as Retry-After.' },
  { id: 'DEV-08', says: 'GET /device shows a form with the code from its query.' },
  { id: 'DEV-09', says: 'POST /device always returns a page with status 200.' },
  { id: 'DEV-10', says: 'Case, hyphens and spaces of a typed code do not matter.' },
  { id: 'DEV-11', says: 'An unknown code is reported as invalid or expired.' },
  { id: 'DEV-12', says: 'A decided code is reported as already used.' },
  { id: 'DEV-13', says: 'An expired code is reported as expired.' },
  { id: 'DEV-14', says: 'For a code that cannot be decided, passwords make no difference.' },
  { id: 'DEV-15', says: 'Failed credentials show the form with a message and decide nothing.' },
  { id: 'DEV-16', says: 'Deny works without credentials and reports it.' },
  { id: 'DEV-17', says: 'Correct credentials approve the device and report it.' },
  { id: 'DEV-18', says: 'In persona mode, the user is selected.' },
  { id: 'DEV-19', says: 'If a second factor is required, only its value approves.' },
  { id: 'DEV-20', says: 'A reset of runtime identities does not affect device and authorization codes.' },
];
