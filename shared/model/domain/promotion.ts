// The promotion of a runtime object into the files (RUN-23 to RUN-32): free → claimed → removed | free | written, and
// written → removed | free. A claim names its process. Other processes settle it only when that process is proved dead.
// Each transition returns the object's next state and the audit event.

import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { AuditMoment } from './movable-clock.ts';
import type { RuntimeKind } from './runtime-identity.ts';

export interface Claim {
  readonly claim: string;
  /** The process that writes the file. */
  readonly owner: string;
  /** `runtime_identity_promoted` as the request that began it would write it (AUD-30). */
  readonly promoting: AuditEvent;
}

export type Promotion =
  | { readonly state: 'free' }
  | ({ readonly state: 'claimed' } & Claim)
  | {
      readonly state: 'written';
      readonly claim: string;
      readonly promoting: AuditEvent;
      /** The active generation when the load failed. It and earlier ones do not contain the written entry. */
      readonly generation: number;
    };

interface PromotionSubject {
  readonly kind: RuntimeKind;
  readonly name: string;
}

/** The next state of the object, and the event to record. */
export interface PromotionChange {
  readonly becomes: Promotion | 'removed';
  readonly event: AuditEvent;
}

export const free: Promotion = { state: 'free' };

export function claimPromotion(promotion: Promotion, claim: Claim): Promotion | undefined {
  return promotion.state === 'free' ? { state: 'claimed', ...claim } : undefined;
}

/** Whether this claim holds the object. Only then may its process continue. */
export function isClaimedBy(promotion: Promotion | undefined, claim: string): boolean {
  return promotion?.state === 'claimed' && promotion.claim === claim;
}

/** claimed → written: the entry is in the file, but the load failed (RUN-27). */
export function noteWritten(promotion: Promotion, generation: number): Promotion | undefined {
  if (promotion.state !== 'claimed') return undefined;
  return { state: 'written', claim: promotion.claim, promoting: promotion.promoting, generation };
}

/** claimed → removed: the entry is in the file and active. */
export function retirePromoted(promotion: Promotion): PromotionChange | undefined {
  return promotion.state === 'claimed' ? { becomes: 'removed', event: promotion.promoting } : undefined;
}

/**
 * Settles the claim of a dead process. `declared`: the entry was written and is active. `runtime`: it was not (RUN-30).
 */
export function settleDeadClaim(
  { kind, name }: PromotionSubject,
  promotion: Promotion,
  outcome: 'declared' | 'runtime',
  moment: AuditMoment,
): PromotionChange | undefined {
  if (promotion.state !== 'claimed') return undefined;
  const { clock: _, ...promoting } = promotion.promoting;
  return {
    becomes: outcome === 'declared' ? 'removed' : free,
    event: {
      ...promoting,
      ...moment,
      event_type: 'runtime_identity_promotion_recovered',
      status: 'success',
      details: { kind, name, outcome },
    },
  };
}

type Reconciliation = PromotionChange & { readonly outcome: 'removed' | 'promoted' | 'abandoned' };

/** After a successful load of `generation`. undefined: nothing changes (RUN-21, RUN-27). */
export function reconcile(
  { kind, name }: PromotionSubject,
  promotion: Promotion,
  { isDeclared, generation }: { readonly isDeclared: boolean; readonly generation: number },
  moment: AuditMoment,
): Reconciliation | undefined {
  if (promotion.state === 'claimed') return undefined;
  const details = { kind, name };
  if (promotion.state === 'free') {
    if (!isDeclared) return undefined;
    const who = kind === 'user' ? { username: name } : kind === 'client' ? { client_id: name } : {};
    const event_type = 'runtime_identity_removed_on_reload';
    return {
      outcome: 'removed',
      becomes: 'removed',
      event: { event_type, ...moment, ...who, status: 'success', details },
    };
  }
  if (generation <= promotion.generation) return undefined;
  const { clock: _, ...promoting } = promotion.promoting;
  if (isDeclared) return { outcome: 'promoted', becomes: 'removed', event: { ...promoting, ...moment } };
  const event_type = 'runtime_identity_promotion_abandoned';
  return {
    outcome: 'abandoned',
    becomes: free,
    event: { ...promoting, ...moment, event_type, status: 'failed', details: { ...details, reason: noLongerDeclared } },
  };
}

const noLongerDeclared =
  'The promotion wrote an entry into users.yaml or settings.yaml, and at the next successful load the file did not declare it. It stays a runtime object.';

/** Only a free object can be removed (RUN-13). */
export function removeIdentity(
  promotion: Promotion['state'] | undefined,
): 'removed' | 'unknown' | 'promotion_in_progress' {
  if (promotion === undefined) return 'unknown';
  return promotion === 'free' ? 'removed' : 'promotion_in_progress';
}

/** An object whose promotion is running or was written is not changed (PCL-16). */
export function updateIdentity(
  promotion: Promotion['state'] | undefined,
): 'updated' | 'unknown' | 'promotion_in_progress' {
  if (promotion === undefined) return 'unknown';
  return promotion === 'free' ? 'updated' : 'promotion_in_progress';
}

/** While an object is claimed, a reset is not possible. A `written` one is kept (RUN-18). */
export function mayReset(claimed: number): boolean {
  return claimed === 0;
}
