// A fault and a row of the catalogue as REST, tools and pages show them (FLT-01, FLT-11, FLT-12).
import * as z from 'zod';
import type { Fault } from '#shared/model/domain/fault.ts';
import { faultNamed } from './catalogue/index.ts';
import type { FaultRow } from './fault-row.ts';
import { commonParameters } from './read-fault-order.ts';

const secretHeaders = ['authorization', 'cookie'];

export function shownFault(fault: Fault) {
  const { id, fault: name, at, when, times, remaining, hits, parameters, quiet, origin } = fault;
  return {
    ...{ id, fault: name, at },
    when: shownCondition(when),
    ...{ times: times ?? 0, remaining, hits, parameters, quiet, origin },
    ...(faultNamed(name)?.material === undefined ? {} : { fetches: fault.fetches }),
    created_at: new Date(fault.createdAt).toISOString(),
    expires_at: fault.expiresAt === undefined ? null : new Date(fault.expiresAt).toISOString(),
  };
}

/** Without the value of a header that is a credential (FLT-31). */
function shownCondition(when: Fault['when']): Fault['when'] {
  const { header } = when;
  return header === undefined || !isCredential(header.name) ? when : { ...when, header: { name: header.name } };
}

function isCredential(header: string): boolean {
  return secretHeaders.includes(header.toLowerCase());
}

const orderWithHeader = z.looseObject({ when: z.looseObject({ header: z.looseObject({ name: z.string() }) }) });

/** The same for an order as it was given, nested in settings. */
export function shownOrder(order: unknown): unknown {
  const { success, data } = orderWithHeader.safeParse(order);
  if (!success || !isCredential(data.when.header.name)) return order;
  return { ...data, when: { ...data.when, header: { name: data.when.header.name } } };
}

export interface ShownParameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly default: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly string[];
}

export function shownRow({ name, effect, at, parameters, phase, client, source }: FaultRow) {
  return { name, effect, at, parameters: shownParameters(parameters), phase, correct_client: client, source };
}

const propertyShape = z.looseObject({
  type: z.string().optional(),
  description: z.string().default(''),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  enum: z.array(z.string()).optional(),
});

/** Its own parameters, and the one that every fault has. */
export function shownParameters(parameters: FaultRow['parameters']): readonly ShownParameter[] {
  const schema = z.toJSONSchema(parameters.extend(commonParameters), { io: 'input' });
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { type, description, minimum, maximum, enum: values, default: usual } = propertyShape.parse(property);
    return {
      ...{ name, type: type ?? 'string', description, default: usual ?? null },
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      ...(values === undefined ? {} : { values }),
    };
  });
}
