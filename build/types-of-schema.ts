// TypeScript types of JSON Schemas, for the files that `npm run docs` generates: the models of the configuration
// (configuration-types.ts), and requests and responses of the REST API (openapi/operation-types.ts).

export type Schema = { readonly [member: string]: unknown };

export interface TypesOptions {
  /** The name of a schema whose type is defined elsewhere. */
  readonly nameOf?: (schema: Schema) => string | undefined;
  /** The comment of a member in addition to its description. */
  readonly notesOf?: (schema: Schema) => readonly string[];
  /** An object without a rule for additional members may have some, as in JSON Schema. */
  readonly isOpenUnlessClosed?: boolean;
}

export interface SchemaTypes {
  /** `indent` is that of the line on which the type begins. @throws Error for an unsupported form. */
  typeOf(schema: unknown, indent?: string): string;
  /** The type of an object, even if it has a name. */
  objectType(schema: Schema, indent?: string): string;
  /** The comment for a schema, or an empty string. */
  comment(schema: Schema, indent?: string): string;
}

export function schemaTypes(options: TypesOptions = {}): SchemaTypes {
  const { nameOf = () => undefined, notesOf = () => [], isOpenUnlessClosed = false } = options;

  const typeOf = (given: unknown, indent = ''): string => {
    const schema: Schema = Object(given);
    const { $ref, anyOf, allOf, type, items } = schema;
    const name = nameOf(schema);
    if (name !== undefined) return name;
    if (typeof $ref === 'string') return $ref.replace('#/components/schemas/', '');
    if (Array.isArray(anyOf)) {
      return union(anyOf.filter((each) => !isPlaceholder(each)).map((each) => typeOf(each, indent)));
    }
    if (Array.isArray(allOf)) return allOf.map((each) => typeOf(each, indent)).join(' & ');
    if ('const' in schema) return literal(schema.const);
    if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
    if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...schema, type: each }, indent)));
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return `readonly ${inBrackets(typeOf(items ?? {}, indent))}[]`;
      case 'object':
        return objectType(schema, indent);
      case undefined:
        return 'unknown';
      default:
        throw new Error(`no type for ${JSON.stringify(schema)}`);
    }
  };

  const objectType = ({ properties, required, additionalProperties: others }: Schema, indent = ''): string => {
    const needed: unknown[] = Array.isArray(required) ? required : [];
    const inner = `${indent}  `;
    const members = Object.entries<Schema>(Object(properties)).map(([name, member]) => {
      const key = /^\w+$/.test(name) ? name : `'${name}'`;
      return `${comment(member, inner)}${inner}readonly ${key}${needed.includes(name) ? '' : '?'}: ${typeOf(member, inner)};`;
    });
    const isOpen = others === undefined ? isOpenUnlessClosed : others !== false;
    if (members.length === 0) return `Readonly<Record<string, ${isOpen ? typeOf(others, indent) : 'unknown'}>>`;
    return `{\n${[...members, ...(isOpen ? [`${inner}readonly [further: string]: unknown;`] : [])].join('\n')}\n${indent}}`;
  };

  const comment = (schema: Schema, indent = ''): string => {
    const { description } = schema;
    const parts = [...(typeof description === 'string' ? [description] : []), ...notesOf(schema)];
    return parts.length === 0 ? '' : `${indent}/** ${parts.join(' ').replaceAll('*/', '*\\/')} */\n`;
  };

  return { typeOf, objectType, comment };
}

/** `${NAME}` represents an environment variable, for keys of any type. */
function isPlaceholder(schema: unknown): boolean {
  const { pattern }: Schema = Object(schema);
  return typeof pattern === 'string' && pattern.startsWith('\\$\\{');
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.includes('unknown') ? 'unknown' : different.join(' | ');
}

function inBrackets(type: string): string {
  return /^\w+$/.test(type) ? type : `(${type})`;
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}
