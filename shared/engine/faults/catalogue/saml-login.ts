// Shared by the rows about the Response of a SAML login.
import * as z from 'zod';
import { type FaultRow, faultRow } from '../fault-row.ts';
import type { SamlChange } from '../saml/saml-change.ts';

/** The parameter of every row with a forged name. */
export const nameId = {
  name_id: z.string().min(1).max(256).default('admin@example.org').describe('The forged name.'),
};

type Row<Shape extends z.core.$ZodLooseShape> = Omit<Parameters<typeof faultRow<Shape>>[0], 'at' | 'phase' | 'make'>;
type Made<Shape extends z.core.$ZodLooseShape> = z.output<z.ZodObject<Shape, z.core.$strict>>;

/** A row that changes a correct and signed Response with an Assertion. */
export function loginFault<Shape extends z.core.$ZodLooseShape = Record<never, never>>(
  row: Row<Shape> & { readonly make: (parameters: Made<Shape>) => SamlChange },
): FaultRow {
  const { make, ...described } = row;
  return faultRow<Shape>({
    ...described,
    at: ['saml_sso'],
    phase: 'after',
    make: (parameters) => ({ hookPoint: 'saml', change: make(parameters) }),
  });
}
