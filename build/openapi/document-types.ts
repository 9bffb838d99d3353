// The parts of an OpenAPI 3.1 document that ours uses.
import type { Schema } from './schemas.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: Schema;
  readonly servers?: readonly { readonly url: string }[];
  readonly security: readonly [];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
    readonly securitySchemes: Readonly<Record<string, Schema>>;
  };
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
  readonly security?: readonly Schema[];
}
