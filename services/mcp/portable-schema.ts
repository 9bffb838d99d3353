// JSON Schemas as an editor passes them to a model. Every tool's schema costs context and must fit the dialect of the
// model's provider. Redundant parts are removed, and keywords that a smaller dialect rejects are replaced by equivalent
// ones. The set of accepted values stays identical.
import { isMapping } from '#shared/base/untrusted-values.ts';

export type JsonSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** The same schema, shorter, and without keywords that only full JSON Schema knows. */
export function portableSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { type, propertyNames, additionalProperties, ...others } = schema;
  const rewritten = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, rewrite(key, value)]));
  return {
    ...(type === undefined ? {} : typeOf(type)),
    ...rewritten,
    // Member names are always strings, and members of any kind are allowed by default.
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
    // The description is beside the alternatives, so they do not repeat it.
    return value.filter(isMapping).map(({ description: _repeated, ...alternative }) => portableSchema(alternative));
  }
  return value;
}

/** Function declarations of some providers allow only one type per value (`nullable` ones are an `anyOf` there). */
function typeOf(type: unknown): Readonly<Record<string, unknown>> {
  return Array.isArray(type) ? { anyOf: type.map((each) => ({ type: each })) } : { type };
}

function isEmpty(schema: unknown): boolean {
  return schema === undefined || (isMapping(schema) && Object.keys(schema).length === 0);
}

function isAnyText(schema: unknown): boolean {
  return schema === undefined || (isMapping(schema) && schema.type === 'string' && Object.keys(schema).length === 1);
}
