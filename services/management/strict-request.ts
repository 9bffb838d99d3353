// Rejects names that an operation does not declare: members of its JSON body (TTK-07) and parameters of its query
// (TTK-08). A misspelt name that is ignored would let a negative test pass without testing anything.
import * as z from 'zod';
import type { Parameters } from '#shared/base/parameters.ts';
import { unknownName } from '#shared/base/unknown-name.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { jsonOf } from '#shared/engine/exchange/json-body.ts';
import type { Operation } from '#shared/engine/exchange/operation.ts';
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import { apiError } from '#shared/engine/exchange/route.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

type DeclaredNames = Pick<Operation, 'query' | 'body' | 'doesMostWithout'>;

/**
 * Every parameter of the query and every member of a JSON body is declared, and no parameter occurs twice.
 * A body that is not a JSON object is left to the endpoint.
 * @throws ApiError 400 of kind `invalid`, before anything has changed
 */
export function requireDeclaredNames(declared: DeclaredNames, { query, body }: Pick<ParsedRequest, 'query' | 'body'>) {
  requireDeclaredQuery(declared, query);
  const problem = bodyProblem(declared.body, body);
  if (problem !== undefined) throw apiError(managementRefusals.body_member_unknown, { problem });
}

/** The part about the query. @throws ApiError as above */
export function requireDeclaredQuery(declared: Pick<Operation, 'query' | 'doesMostWithout'>, query: Parameters): void {
  const wrongQuery = queryProblem(Object.keys(declared.query ?? {}), query);
  if (wrongQuery !== undefined) {
    const row = declared.doesMostWithout
      ? managementRefusals.removal_filter_wrong
      : managementRefusals.query_parameter_wrong;
    throw apiError(row, { problem: wrongQuery });
  }
}

function queryProblem(known: readonly string[], query: Parameters): string | undefined {
  for (const [name] of query.pairs) {
    if (!known.includes(name)) return unknownName('query parameter', shortened(name), known);
    if (query.count(name) > 1) return `The query parameter ${JSON.stringify(name)} was sent more than once.`;
  }
  return undefined;
}

function bodyProblem(model: z.ZodType | undefined, body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  let value: unknown;
  try {
    value = jsonOf(body);
  } catch {
    return undefined;
  }
  return unknownMember(value, model === undefined ? withoutMembers : schemaOf(model), []);
}

const nameCharactersMax = 100;

/** A name from the request can be as long as the body. */
function shortened(name: string): string {
  return name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}…` : name;
}

type Schema = z.core.JSONSchema.BaseSchema;

const withoutMembers: Schema = { type: 'object', additionalProperties: false };

const schemasOfModels = new WeakMap<z.ZodType, Schema>();

/** Made by the first body of a model, because it would slow down the start. */
function schemaOf(model: z.ZodType): Schema {
  const made = schemasOfModels.get(model);
  if (made !== undefined) return made;
  const schema = z.toJSONSchema(model, { io: 'input', unrepresentable: 'any' });
  schemasOfModels.set(model, schema);
  return schema;
}

/** The sentence about the first member that no alternative of the schema declares. */
function unknownMember(
  value: unknown,
  root: Schema,
  path: readonly string[],
  schema: Schema = root,
): string | undefined {
  const alternatives = alternativesOf(schema, root);
  if (Array.isArray(value)) {
    const items = alternatives.flatMap(({ items }) => (isSchema(items) ? [items] : []));
    return firstOf(value, (item, index) => within(item, items, [...path, String(index)], root));
  }
  if (!isMapping(value)) return undefined;
  const objects = alternatives.filter(({ type, properties }) => type === 'object' || properties !== undefined);
  if (objects.length === 0) return undefined;
  const isOpen = objects.some(({ additionalProperties }) => additionalProperties !== false);
  const known = [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))];
  return firstOf(Object.entries(value), ([name, member]) => {
    if (!known.includes(name)) return isOpen ? undefined : unknownAt(path, name, known);
    const declared = objects.flatMap(({ properties = {} }) => {
      const rule = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return isSchema(rule) ? [rule] : [];
    });
    return within(member, declared, [...path, name], root);
  });
}

function within(value: unknown, anyOf: readonly Schema[], path: readonly string[], root: Schema): string | undefined {
  return anyOf.length === 0 ? undefined : unknownMember(value, root, path, { anyOf: [...anyOf] });
}

function unknownAt(path: readonly string[], name: string, known: readonly string[]): string {
  const dotted = (last: string) => [...path, last].join('.');
  return unknownName('field', dotted(shortened(name)), known.map(dotted));
}

/** The schema itself, or what its references and alternatives lead to. */
function alternativesOf(schema: Schema, root: Schema): readonly Schema[] {
  const { $ref, anyOf, oneOf } = schema;
  if ($ref !== undefined) {
    const target = root.$defs?.[$ref.replace('#/$defs/', '')];
    return isSchema(target) ? alternativesOf(target, root) : [];
  }
  const branches = [...(anyOf ?? []), ...(oneOf ?? [])].filter(isSchema);
  return branches.length === 0 ? [schema] : branches.flatMap((branch) => alternativesOf(branch, root));
}

function isSchema(rule: unknown): rule is Schema {
  return isMapping(rule);
}

function firstOf<Item>(items: readonly Item[], problemOf: (item: Item, index: number) => string | undefined) {
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
