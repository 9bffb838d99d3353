// The points at which a process can die in the middle of a change of runtime state. The list is closed: the crash
// matrix has one test for each (STO-14, AUD-10, RUN-30). The caller that opens a store may observe them. Nothing
// depends on the observer.

export const storeSteps = [
  /** A promotion's claim is committed. Its file is not written yet. */
  'promotion_claimed',
  /** Inside the transaction that ends a promotion: its object is removed. */
  'promoted_object_removed',
  /** Inside the transaction of a registration: a free slot was found. */
  'registration_slot_found',
  /** Inside it: the client is stored with its registration. */
  'registration_written',
  /** Inside the transaction of a change: its event waits in the outbox. */
  'event_in_outbox',
  /** A change and its event are committed together. */
  'change_committed',
  /** Inside the audit's transaction: the waiting events were taken. */
  'event_taken',
  /** The events are committed in the audit and still in the outbox. */
  'event_in_audit',
  /** The events are deleted from the outbox: the delivery is complete. */
  'event_delivered',
] as const;

export type StoreStep = (typeof storeSteps)[number];

export type OnStoreStep = (step: StoreStep) => void;
