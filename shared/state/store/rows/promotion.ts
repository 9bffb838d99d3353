// The part of a row of `runtime_identities` with the state of its promotion, as a domain object.
import * as z from 'zod';
import { free, type Promotion } from '#shared/model/domain/promotion.ts';
import { auditEventShape, encoded, encodeEvent } from '../json-columns.ts';
import type { RuntimeIdentities } from '../ports/runtime-identities.ts';

/** The part of the port that concerns promotions. */
export type PromotionPart = Pick<
  RuntimeIdentities,
  | 'claimPromotion'
  | 'holdsClaim'
  | 'releaseClaim'
  | 'noteWritten'
  | 'retirePromoted'
  | 'deadClaims'
  | 'settleDeadClaim'
  | 'reconcile'
>;

export const promotionRow = z.object({
  kind: z.enum(['user', 'client', 'service_provider']),
  name: z.string(),
  promotion: z.enum(['free', 'claimed', 'written']),
  claim: z.string().nullable(),
  owner: z.string().nullable(),
  promotion_event: encoded(auditEventShape).nullable(),
  written_generation: z.number().nullable(),
});

export const promotionColumns = 'kind, name, promotion, claim, owner, promotion_event, written_generation';
export type PromotionRow = z.output<typeof promotionRow>;

export function promotionOf({
  promotion,
  claim,
  owner,
  promotion_event: promoting,
  written_generation,
}: PromotionRow): Promotion {
  if (promotion === 'free') return free;
  if (claim === null || promoting === null) throw new Error('A promotion under way has no claim.');
  if (promotion === 'written') return { state: promotion, claim, promoting, generation: written_generation ?? 0 };
  if (owner === null) throw new Error('A claimed promotion has no owner.');
  return { state: promotion, claim, owner, promoting };
}

export function columnsOfPromotion(promotion: Promotion) {
  return {
    promotion: promotion.state,
    claim: promotion.state === 'free' ? null : promotion.claim,
    owner: promotion.state === 'claimed' ? promotion.owner : null,
    event: promotion.state === 'free' ? null : encodeEvent(promotion.promoting),
    generation: promotion.state === 'written' ? promotion.generation : null,
  };
}
