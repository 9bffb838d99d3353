// What a route declares of each of its methods: operations of /openapi.json (section OAS), and from these docs/rest.md
// and the types of an API client. Every method under /api, /register and /health has one. A test reports missing ones.
//
// To declare a route of the REST API, put `operations` beside `methods`, with the same keys:
//
//     const sessionModel = z.strictObject({ sid: z.string(), username: z.string() }).meta({ id: 'Session' });
//
//     {
//       path: '/api/sessions/:sid',
//       audience: 'api',
//       methods: { GET: showSession, DELETE: endSession },
//       operations: {
//         GET: { id: 'showSession', summary: 'One session.', answers: { 200: sessionModel }, refusals: [managementRefusals.session_not_found] },
//         DELETE: { id: 'endSession', summary: 'Ends a session.', answers: { 200: deletedModel }, refusals: [managementRefusals.session_not_found] },
//       },
//     }
//
// - `.meta({ id })` makes a model a named component and a named type; ids are unique. Use the model that reads a body
// as its `body`, never a second one. Responses are strict objects, so that an undeclared member fails a test.
// - `refusals` are rows of shared/model/refusals/families that only this method returns. The pipeline's rejections
// follow from the route: 421, 413, 415, 500 and 503 everywhere, 401 and 403 of writes under /api, 429 of a `rateBucket`.
// - Then run `npm run docs`. Tests compare every response under /api with the declaration
// (test/support/declared-answers.ts).
import type * as z from 'zod';

/** The members of a row of shared/model/refusals/families that documents show. */
export interface DeclaredRefusal {
  /** Left out: 400. */
  readonly status?: number;
  /** `{error: <sentence>, kind}`, or without kind. */
  readonly kind?: string;
  /** `{error, error_description}`. */
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expected?: string;
}

/**
 * A model of a JSON body, `empty`, or the media types of a body in another form. `model` accompanies them where the
 * same content is also available as JSON.
 */
export type DeclaredAnswer =
  | z.ZodType
  | 'empty'
  | { readonly mediaTypes: readonly string[]; readonly model?: z.ZodType };

export interface Operation {
  /** operationId: unique, camel case, a verb first. It is the name of the method of an API client. */
  readonly id: string;
  /** One sentence. */
  readonly summary: string;
  /** Describes the path parameters by name, where the name is not enough. */
  readonly path?: Readonly<Record<string, string>>;
  /** Parameters of the query; all of them optional. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /**
   * It removes everything that its query does not exclude. An unknown parameter, such as a misspelt filter, must
   * therefore not be ignored: `removal_filter_wrong`.
   */
  readonly doesMostWithout?: true;
  /** The endpoint itself rejects undeclared names in query and body: it audits them, or says more about them. */
  readonly checksItsNames?: true;
  /** The model of the JSON body; if the model accepts `undefined`, the body is optional. */
  readonly body?: z.ZodType;
  /** By status, including rejections with their own body. */
  readonly answers: Readonly<Record<number, DeclaredAnswer>>;
  readonly refusals?: readonly DeclaredRefusal[];
  /** Headers of a successful response, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It requires its own credential, beside or instead of the management secret. */
  readonly credential?: 'registration_access_token';
}
