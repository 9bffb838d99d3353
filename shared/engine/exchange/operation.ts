// What a route says of one of its methods, as values beside it: operations of /openapi.json (section OAS), and through that
// docs/rest.md and the types of an API client. Every method under /api, /register and /health has one; a test says which is missing.
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
// - `.meta({ id })` makes a model a named component and a named type; ids are unique. Take the model that reads a body as its
//   `body`, never a second one; answers are strict objects, so that an undeclared member fails a test.
// - `refusals` are rows of shared/model/refusals/families that this method alone answers. What the pipeline refuses follows from
//   the route: 421, 413, 415, 500 and 503 everywhere, 401 and 403 of writes under /api, 429 of a `rateBucket`.
// - Then `npm run docs`. Tests hold every answer they see under /api against the declaration (test/support/declared-answers.ts).
import type * as z from 'zod';

/** As much of a row of shared/model/refusals/families as a document tells. */
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
 * A model of a JSON body, `empty`, or the media types of a body in another form; `model` beside them where the same may be
 * had as JSON.
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
  /** What the parameters of the path are, by name, where that is not plain. */
  readonly path?: Readonly<Record<string, string>>;
  /** Parameters of the query; all of them optional. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /**
   * It removes everything that its query does not narrow, so a parameter that it does not know, a misspelt filter, must not
   * count as none: `removal_filter_wrong`.
   */
  readonly doesMostWithout?: true;
  /** The model of the JSON body; one that accepts `undefined` may be left out. */
  readonly body?: z.ZodType;
  /** By status; refusals with a body of their own included. */
  readonly answers: Readonly<Record<number, DeclaredAnswer>>;
  readonly refusals?: readonly DeclaredRefusal[];
  /** Headers of its success, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** It asks for a credential of its own, beside or instead of the management secret. */
  readonly credential?: 'registration_access_token';
}
