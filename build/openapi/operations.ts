// Iterates over the operations of a document.
import type { DescribedAnswer, DescribedOperation, OpenApiDocument } from './document-types.ts';
import type { Schema } from './schemas.ts';

export interface PlacedOperation {
  /** Upper case. */
  readonly method: string;
  /** `/api/users/{username}` */
  readonly path: string;
  readonly operation: DescribedOperation;
}

export function* eachOperation({ paths }: Pick<OpenApiDocument, 'paths'>): Generator<PlacedOperation> {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      yield { method: method.toUpperCase(), path, operation };
    }
  }
}

/** The response of a status, resolved if it is a component. */
export function answerAt(
  { responses }: DescribedOperation,
  status: number,
  { components }: Pick<OpenApiDocument, 'components'>,
): DescribedAnswer | undefined {
  const answer = responses[status];
  return answer !== undefined && '$ref' in answer
    ? components.responses[answer.$ref.replace('#/components/responses/', '')]
    : answer;
}

/** The media types of a success. None: it has no body. */
export function mediaTypesOf({ responses }: DescribedOperation): readonly string[] {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];
  return success === undefined || '$ref' in success ? [] : Object.keys(success.content ?? {});
}

/** The schema of a success: `text` is not JSON, `none` means no body. */
export function successOf({ responses }: DescribedOperation): Schema | 'text' | 'none' {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];
  if (success === undefined || '$ref' in success || success.content === undefined) return 'none';
  return success.content['application/json']?.schema ?? 'text';
}
