// JSON Schemas as an editor hands them to a model: every tool's schema costs context and passes through the dialect of
// some model provider. What says nothing is left out, and what a smaller dialect refuses is said in another way; which
// values a schema accepts is the same before and after.
import { isMapping } from '#shared/base/untrusted-values.ts';

export type JsonSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** The same schema, shorter, and without what only full JSON Schema knows. */
export function portableSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { type, propertyNames, additionalProperties, ...others } = schema;
  const rewritten = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, rewrite(key, value)]));
  return {
    ...(type === undefined ? {} : typeOf(type)),
    ...rewritten,
    // Names of members are texts anyway, and members of any kind are allowed where nothing is said.
    ...(isEmpty(additionalProperties) ? {} : { additionalProperties }),
    ...(isAnyText(propertyNames) ? {} : { propertyNames }),
  };
}

function rewrite(key: string, value: unknown): unknown {
  if (key === 'properties' && isMapping(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, isMapping(member) ? portableSchema(member) : member]),
    );
  }
  if (key === 'items' && isMapping(value)) return portableSchema(value);
  if (key === 'anyOf' && Array.isArray(value)) {
    // What the alternatives are for is said once, beside them.
    return value.filter(isMapping).map(({ description: _repeated, ...alternative }) => portableSchema(alternative));
  }
  return value;
}

/** Function declarations of some providers know one type a value only (`nullable` ones are an `anyOf` there). */
function typeOf(type: unknown): Readonly<Record<string, unknown>> {
  return Array.isArray(type) ? { anyOf: type.map((each) => ({ type: each })) } : { type };
}

function isEmpty(schema: unknown): boolean {
  return schema === undefined || (isMapping(schema) && Object.keys(schema).length === 0);
}

function isAnyText(schema: unknown): boolean {
  return schema === undefined || (isMapping(schema) && schema.type === 'string' && Object.keys(schema).length === 1);
}
