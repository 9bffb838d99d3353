// A row of runtime_identities as a domain object.
import * as z from 'zod';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import { userEntryModel } from '#shared/model/configuration/user-entry.ts';
import type {
  PromotionState,
  RuntimeClient,
  RuntimeIdentity,
  RuntimeServiceProvider,
  RuntimeUser,
} from '#shared/model/domain/runtime-identity.ts';
import { encoded, instantColumn, registrationShape } from '../json-columns.ts';

export const identityColumns = 'kind, name, instance_id, created_at, entry, registration, promotion, claim, owner';

const common = {
  name: z.string(),
  instance_id: z.string(),
  created_at: instantColumn,
  promotion: z.enum(['free', 'claimed', 'written']),
  claim: z.string().nullable(),
  owner: z.string().nullable(),
};

export const userRow = z.object({ ...common, kind: z.literal('user'), entry: encoded(userEntryModel) });
export const clientRow = z.object({
  ...common,
  kind: z.literal('client'),
  entry: encoded(clientEntryModel),
  registration: encoded(registrationShape).nullable(),
});
export const serviceProviderRow = z.object({
  ...common,
  kind: z.literal('service_provider'),
  entry: encoded(serviceProviderEntryModel),
});
export const identityRow = z.discriminatedUnion('kind', [userRow, clientRow]);

type UserRow = z.output<typeof userRow>;
type ClientRow = z.output<typeof clientRow>;

export function userOf(row: UserRow): RuntimeUser {
  return { kind: 'user', entry: row.entry, ...baseOf(row) };
}

export function clientOf(row: ClientRow): RuntimeClient {
  return { kind: 'client', entry: row.entry, registration: row.registration ?? undefined, ...baseOf(row) };
}

export function serviceProviderOf(row: z.output<typeof serviceProviderRow>): RuntimeServiceProvider {
  const { kind, name, instance_id, created_at: createdAt, entry } = row;
  return { kind, name, instance_id, createdAt, entry };
}

export function identityOf(row: UserRow | ClientRow): RuntimeIdentity {
  return row.kind === 'user' ? userOf(row) : clientOf(row);
}

function baseOf(row: UserRow | ClientRow) {
  return {
    name: row.name,
    instance_id: row.instance_id,
    createdAt: row.created_at,
    promotion: promotionOf(row),
  };
}

function promotionOf({ promotion, claim, owner }: UserRow | ClientRow): PromotionState {
  if (promotion === 'claimed' && claim !== null && owner !== null) return { state: 'claimed', owner, claim };
  if (promotion === 'written' && claim !== null) return { state: 'written', claim };
  return { state: 'free' };
}
