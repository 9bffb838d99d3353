// Whether a registration may be made (DCR-19, DCR-21).

interface RegistrationState {
  /** Grows with every reset of runtime objects. */
  readonly epoch: number;
  readonly registrations: number;
  /** Of them, those that pages of other sites made; undefined: this one is made by none. */
  readonly ofForeignPages?: number | undefined;
}

/** Any website can register clients by the browsers of its visitors, so half of the places stays for everybody else. */
export function foreignRegistrationsMax(maxClients: number): number {
  return Math.ceil(maxClients / 2);
}

/** undefined: it may. `interrupted`: a reset happened since the registration began. */
export function refuseRegistration(
  { epoch, registrations, ofForeignPages = 0 }: RegistrationState,
  asked: { readonly epoch: number; readonly maxClients: number },
): 'interrupted' | 'limit' | 'limit_of_foreign_pages' | undefined {
  if (epoch !== asked.epoch) return 'interrupted';
  if (registrations >= asked.maxClients) return 'limit';
  return ofForeignPages >= foreignRegistrationsMax(asked.maxClients) ? 'limit_of_foreign_pages' : undefined;
}
