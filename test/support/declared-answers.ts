// Compares every response that tests see with the declarations. Each response of a started program below /api, /register
// and /health through `fetch` must have a declared status, media type and body. A body that its declaration rejects must
// not succeed (OAS-06). A test that gets an undeclared response fails at the request.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenApiDocument } from '#build/openapi/document-types.ts';
import { answerAt, eachOperation, type PlacedOperation } from '#build/openapi/operations.ts';
import { repositoryRoot } from './source-text.ts';

const watched = new Set<string>();
let original: typeof fetch | undefined;

/** The statuses that tests of this process have seen, by operationId. */
export const seenStatuses = new Map<string, Set<number>>();

/** Watches the responses of this program until it ends. Afterwards its port may belong to another program. */
export function watchAnswers(baseUrl: string, ended: Promise<unknown>): void {
  const { origin } = new URL(baseUrl);
  watched.add(origin);
  void ended.then(() => watched.delete(origin));
  if (original !== undefined) return;
  const fetched = globalThis.fetch;
  original = fetched;
  globalThis.fetch = async (input, init) => {
    const answer = await fetched(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    if (!watched.has(url.origin)) return answer;
    const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
    const sent = typeof init?.body === 'string' ? init.body : undefined;
    return checked(answer, method, url.pathname, sent);
  };
}

function checked(answer: Response, method: string, path: string, sent: string | undefined): Response {
  // A fault changes the response, and marks it.
  const isFaulty = answer.headers.has('x-test-idp-fault');
  const inSandbox = /^\/s\/[^/]+(?=\/)/.exec(path)?.[0] ?? '';
  const own = path.slice(inSandbox.length);
  if (isFaulty || answer.status === 405 || !/^\/(?:api|register|health|openapi\.json)(?:\/|$)/.test(own)) return answer;
  const placed = declared().find(method, own);
  if (placed === undefined) return answer;
  const { operationId } = placed.operation;
  const { status } = answer;
  const outcome = `${operationId} (${method} ${path}) answered ${status}`;
  const described = answerAt(placed.operation, status, declared().document);
  // Paths of an ended sandbox, or of none, are no operations.
  const mayBeNoSandbox = inSandbox !== '' && status === 404;
  if (described === undefined) {
    if (mayBeNoSandbox) return answer;
    throw new Error(`${outcome}, which it does not declare (shared/engine/exchange/operation.ts)`);
  }
  seenStatuses.set(operationId, (seenStatuses.get(operationId) ?? new Set()).add(status));
  if (sent !== undefined && status < 300 && isRefusedByDeclaration(placed, sent)) {
    throw new Error(`${outcome} to a body that its declaration rejects: ${sent.slice(0, 500)}`);
  }
  const mediaType = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const { content } = described;
  if (status !== 304 && (content === undefined ? mediaType !== '' : !Object.hasOwn(content, mediaType))) {
    throw new Error(`${outcome} as '${mediaType}', which it does not declare`);
  }
  if (mediaType !== 'application/json' || content?.[mediaType]?.schema === undefined) return answer;
  const read = answer.text.bind(answer);
  const text = async () => {
    const body = await read();
    if (body === '') return body;
    const value: unknown = JSON.parse(body);
    if (mayBeNoSandbox && ['unknown_sandbox', 'not_found'].includes(Object(value).error)) return body;
    const valid = declared().validatorAt(placed, 'responses', status);
    if (!valid(value))
      throw new Error(`${outcome} with a body it does not declare: ${problems(valid.errors)}\n${body.slice(0, 2000)}`);
    return body;
  };
  Object.defineProperties(answer, {
    text: { value: text },
    json: { value: async () => JSON.parse(await text()) },
  });
  return answer;
}

function isRefusedByDeclaration(placed: PlacedOperation, sent: string): boolean {
  if (placed.operation.requestBody === undefined) return false;
  try {
    return !declared().validatorAt(placed, 'requestBody')(JSON.parse(sent));
  } catch {
    return sent !== '';
  }
}

interface DeclaredOperations {
  readonly document: OpenApiDocument;
  readonly operations: readonly PlacedOperation[];
  /** `path` without the prefix of a sandbox. */
  find(method: string, path: string): PlacedOperation | undefined;
  validatorAt(placed: PlacedOperation, of: 'requestBody' | 'responses', status?: number): ValidateFunction;
}

let known: DeclaredOperations | undefined;

/** The document in docs/ with its ajv validators, created on first use. */
export function declared(): DeclaredOperations {
  known ??= readDeclared();
  return known;
}

function readDeclared(): DeclaredOperations {
  const document: OpenApiDocument = JSON.parse(readFileSync(join(repositoryRoot, 'docs/openapi.json'), 'utf8'));
  const operations = [...eachOperation(document)];
  const validators = new Map<string, ValidateFunction>();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'https://test-idp.example/openapi.json', ...document });
  const compiled = (pointer: readonly string[]): ValidateFunction => {
    const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const found = validators.get(path) ?? ajv.compile({ $ref: `https://test-idp.example/openapi.json#/${path}` });
    validators.set(path, found);
    return found;
  };
  return {
    document,
    operations,
    find(method, path) {
      const asked = path.split('/');
      const fits = operations.filter((placed) => {
        const parts = placed.path.split('/');
        return (
          placed.method === (method === 'HEAD' ? 'GET' : method) &&
          parts.length === asked.length &&
          parts.every((part, index) =>
            part.startsWith('{') ? hasForm(asked[index] ?? '', part) : part === asked[index],
          )
        );
      });
      return fits.find((placed) => placed.path === path) ?? fits.find(({ path: own }) => !own.endsWith('}')) ?? fits[0];
    },
    validatorAt({ method, path, operation }, of, status) {
      const json = ['content', 'application/json', 'schema'];
      if (of === 'requestBody') return compiled(['paths', path, method.toLowerCase(), 'requestBody', ...json]);
      const answer = operation.responses[String(status)];
      return answer !== undefined && '$ref' in answer
        ? compiled([...answer.$ref.slice(2).split('/'), ...json])
        : compiled(['paths', path, method.toLowerCase(), 'responses', String(status), ...json]);
    },
  };
}

/** A path segment that is a parameter, and a suffix such as in `{id}.har`. */
function hasForm(asked: string, part: string): boolean {
  const behind = part.slice(part.indexOf('}') + 1);
  return asked.length > behind.length && asked.endsWith(behind);
}

function problems(errors: readonly ErrorObject[] | null | undefined): string {
  return (errors ?? [])
    .slice(0, 5)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}
