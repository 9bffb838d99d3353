// Whether a registration may be made (DCR-19, DCR-21).

interface RegistrationState {
  /** Grows with every reset of runtime objects. */
  readonly epoch: number;
  readonly registrations: number;
}

/** undefined: it may. `interrupted`: a reset happened since the registration began. */
export function refuseRegistration(
  { epoch, registrations }: RegistrationState,
  asked: { readonly epoch: number; readonly maxClients: number },
): 'interrupted' | 'limit' | undefined {
  if (epoch !== asked.epoch) return 'interrupted';
  return registrations >= asked.maxClients ? 'limit' : undefined;
}
