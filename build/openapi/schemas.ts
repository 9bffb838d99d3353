// Models as JSON Schemas of an OpenAPI document: what bears an id becomes a component, everything else stands where it is used.
import * as z from 'zod';
import { faultNames } from '#shared/engine/faults/catalogue/index.ts';
import { anyFaultName } from '#shared/model/configuration/fault-entry.ts';
import { fields } from '#shared/model/configuration/field.ts';

export type Schema = { readonly [member: string]: unknown };

export interface Schemas {
  /** What may be sent (`input`) or comes (`output`). */
  of(model: z.ZodType, io: 'input' | 'output'): Schema;
  /** The components met so far, by id. */
  readonly components: Readonly<Record<string, Schema>>;
}

/** The notes of a configuration key that mean something in a schema. */
const describedKeywords = ['description', 'deprecated', 'pattern'] as const;

/** @throws Error when two models have one id. */
export function schemas(): Schemas {
  const components: Record<string, Schema> = {};
  return {
    components,
    of(model, io) {
      const { $defs = {}, properties = {} } = z.toJSONSchema(z.object({ it: model }), {
        io,
        target: 'draft-2020-12',
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => {
          const notes = fields.get(zodSchema);
          for (const note of describedKeywords)
            if (notes?.[note] !== undefined) Object.assign(jsonSchema, { [note]: notes[note] });
          if (zodSchema === anyFaultName) jsonSchema.enum = [...faultNames];
          plain(jsonSchema);
        },
      });
      for (const [id, schema] of Object.entries($defs)) {
        const { id: _id, ...component } = componentReferences(schema);
        const known = components[id];
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
          throw new Error(`two models are called ${id}`);
        }
        components[id] = component;
      }
      return componentReferences(Object(properties.it));
    },
  };
}

/** Without what is true of every key and of every whole number. */
function plain(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { propertyNames: names } = schema;
  if (typeof names === 'object' && names.type === 'string' && Object.keys(names).length === 1)
    delete schema.propertyNames;
}

/** The same with references that point to components. */
function componentReferences<Value>(value: Value): Value;
function componentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => componentReferences(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', '#/components/schemas/')
        : componentReferences(member),
    ]),
  );
}
