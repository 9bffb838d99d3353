// Messages that only pages show. What an API also rejects has its row in the API's family.
import { logoutConfirmationLifetimeSeconds } from '#shared/model/domain/logout-confirmation.ts';
import { minutesText } from '../quantities.ts';
import { docs, oidcLogout, rfc, samlBindings } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';
import { missingParameter } from '../wordings.ts';

/** For a logout confirmation. */
const answerTime = minutesText(logoutConfirmationLifetimeSeconds);

export interface PageRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly title: string;
}

const pages = { standard: docs('errors.md#pages') } as const;

/** What a page's write would have done, and what to do instead of sending it from another site. */
const consequences = {
  change:
    'A page of another site sent this request, so nothing was changed. Open the page on this server and try again.',
  logout: 'A page of another site sent this request, so you were not logged out. Log out again in the application.',
  login:
    'A page of another site sent this login, so you were not logged in. Open the login page on this server and try again.',
  login_for_application:
    'A page of another site sent this login, so you were not logged in. Go to the application and log in from there.',
} as const;

export type CrossSiteWrite = keyof typeof consequences;

function declarePageRefusals<const Table extends Readonly<Record<string, PageRefusalRow>>>(table: Table) {
  return declareRefusals<PageRefusalRow, Table>(table);
}

/** Titles for rejections of another surface, where a page shows them. */
export const titlesOfPages = {
  attribute_query: 'This attribute query was rejected',
  runtime_objects: 'Nothing was changed',
  saml_login_begun_here: 'This login cannot start at this server',
  saml_logout: 'This SAML logout cannot continue',
  saml_request: 'This SAML request was rejected',
  verdict: 'This verdict does not exist',
} as const;

export const pageRefusals = declarePageRefusals({
  form_from_another_site: {
    ...pages,
    status: 403,
    title: 'Rejected: the request came from another site',
    answer: ({ about }: { about: CrossSiteWrite }) => consequences[about],
    expected: 'A form of this server, submitted by the browser that opened it.',
  },
  client_logo_unknown: {
    status: 404,
    title: 'No logo',
    answer: 'This client has no logo.',
    expected: 'A client with a file in oauth.logos_dir.',
    standard: rfc(9110, '15.5.5'),
  },
  client_theme_malformed: {
    ...pages,
    status: 400,
    title: 'Invalid colour',
    answer: 'A colour of a client theme must be six hexadecimal digits.',
    expected: 'Colours as six hexadecimal digits.',
  },
  flow_not_kept: {
    ...pages,
    status: 404,
    title: 'This flow does not exist',
    answer: 'The recorder keeps only the newest requests.',
    expected: 'A flow that /flows lists.',
  },
  // logout
  logout_hint_unreadable: {
    status: 400,
    title: 'The application sent an invalid logout request',
    answer:
      'Its id_token_hint is not an ID token of this server, so you were not logged out. Tell the developers of the application.',
    reason: 'id_token_hint is not an ID token of this server',
    expected: 'An ID token of this server, or no id_token_hint.',
    standard: oidcLogout('4'),
  },
  logout_question_closed: {
    ...pages,
    status: 400,
    title: 'This question has expired',
    answer: `You answered it already, it is older than ${answerTime}, or it belongs to another browser. Nothing was changed. Log out again in the application.`,
    expected: `An answer within ${answerTime}, from the browser that shows the question.`,
  },
  // /saml/sso
  saml_request_missing: {
    status: 400,
    title: 'No SAML request',
    answer: `${missingParameter('SAMLRequest')} A service provider sends it to start a login.`,
    expected: 'A SAMLRequest in the query or in a form.',
    standard: samlBindings('3.4.4.1'),
  },
  saml_login_form_wrong: {
    ...pages,
    status: 400,
    title: 'Invalid SAML login form',
    answer: ({ field }: { field: string }) => `The field ${field} must be GET or POST.`,
    expected: 'The unchanged form of the login page.',
  },
});
