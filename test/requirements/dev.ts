// Section DEV of the contract: the device flow.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'DEV-01', says: 'Both paths answer codes, addresses, lifetime and interval.' },
  { id: 'DEV-02', says: 'A user code is eight letters of the alphabet without vowels.' },
  { id: 'DEV-03', says: 'Lifetime and interval are the settings of device_flow.' },
  { id: 'DEV-04', says: 'The addresses are the verification base with /device, the second with the code.' },
  { id: 'DEV-05', says: 'Scope and resource are refused as at the token endpoint.' },
  { id: 'DEV-06', says: 'Clients of metadata documents cannot use the flow.' },
  { id: 'DEV-07', says: 'With no room or no unused codes the answer is 503 with the interval as Retry-After.' },
  { id: 'DEV-08', says: 'GET /device shows a form with the code of its query.' },
  { id: 'DEV-09', says: 'POST /device always answers a 200 page.' },
  { id: 'DEV-10', says: 'Case, hyphens and spaces of a typed code do not matter.' },
  { id: 'DEV-11', says: 'An unknown code is called invalid or expired.' },
  { id: 'DEV-12', says: 'A decided code is called already used.' },
  { id: 'DEV-13', says: 'A late code is called expired.' },
  { id: 'DEV-14', says: 'For a code that cannot be decided passwords make no difference.' },
  { id: 'DEV-15', says: 'Failed credentials show the form with a message and decide nothing.' },
  { id: 'DEV-16', says: 'Deny works without credentials and says so.' },
  { id: 'DEV-17', says: 'Right credentials approve and say so.' },
  { id: 'DEV-18', says: 'In persona mode a user is chosen.' },
  { id: 'DEV-19', says: 'With a second factor due, only its value approves.' },
  { id: 'DEV-20', says: 'Resetting runtime identities leaves device and authorization codes alone.' },
];
