// Whether a registration is allowed (DCR-19, DCR-21).

interface RegistrationState {
  /** Grows with every reset of runtime objects. */
  readonly epoch: number;
  readonly registrations: number;
  /** Registrations that pages of other sites sent. undefined: this one does not come from such a page. */
  readonly ofForeignPages?: number | undefined;
}

/**
 * Any website can register clients through its visitors' browsers, so half of the places is reserved for all other
 * registrations.
 */
export function crossSiteRegistrationsMax(maxClients: number): number {
  return Math.ceil(maxClients / 2);
}

/** undefined: it is allowed. `interrupted`: a reset happened since the registration began. */
export function refuseRegistration(
  { epoch, registrations, ofForeignPages = 0 }: RegistrationState,
  bounds: { readonly epoch: number; readonly maxClients: number },
): 'interrupted' | 'limit' | 'limit_of_foreign_pages' | undefined {
  if (epoch !== bounds.epoch) return 'interrupted';
  if (registrations >= bounds.maxClients) return 'limit';
  return ofForeignPages >= crossSiteRegistrationsMax(bounds.maxClients) ? 'limit_of_foreign_pages' : undefined;
}
