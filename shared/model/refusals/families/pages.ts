// Messages that only pages show. What an API also rejects has its row in the API's family.
import { logoutConfirmationLifetimeSeconds } from '#shared/model/domain/logout-confirmation.ts';
import { minutesText } from '../quantities.ts';
import { docs, oidcLogout, rfc, samlBindings } from '../references.ts';
import { declareRefusals, type RefusalRow } from '../refusal.ts';

/** For a logout confirmation. */
const answerTime = minutesText(logoutConfirmationLifetimeSeconds);

export interface PageRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly title: string;
}

const pages = { standard: docs('errors.md#pages') } as const;

/** What a page's write would have done, and what to do instead of sending it from another site. */
const consequences = {
  change: 'This request was sent by a page of another site, so nothing was changed. Open the page here and try again.',
  logout: 'This answer was sent by a page of another site, so nobody was logged out. Log out again where you began.',
  login: 'This login was sent by a page of another site, so nobody was logged in. Open the login here and try again.',
  login_for_application:
    'This login was sent by a page of another site, so nobody was logged in. Go to the application and log in from there.',
} as const;

export type CrossSiteWrite = keyof typeof consequences;

function declarePageRefusals<const Table extends Readonly<Record<string, PageRefusalRow>>>(table: Table) {
  return declareRefusals<PageRefusalRow, Table>(table);
}

/** Titles for rejections of another surface, where a page shows them. */
export const titlesOfPages = {
  attribute_query: 'This attribute query cannot be answered',
  runtime_objects: 'Nothing was changed',
  saml_login_begun_here: 'This login cannot begin here',
  saml_logout: 'This SAML logout cannot go on',
  saml_request: 'This SAML request cannot be answered',
  verdict: 'No such verdict',
} as const;

export const pageRefusals = declarePageRefusals({
  form_from_another_site: {
    ...pages,
    status: 403,
    title: 'Refused: it came from another site',
    answer: ({ about }: { about: CrossSiteWrite }) => consequences[about],
    expected: 'A form of this server, sent by the browser that opened it.',
  },
  client_logo_unknown: {
    status: 404,
    title: 'No logo',
    answer: 'There is no such logo.',
    expected: 'A client with a file in oauth.logos_dir.',
    standard: rfc(9110, '15.5.5'),
  },
  client_theme_malformed: {
    ...pages,
    status: 400,
    title: 'Not a colour',
    answer: 'A colour of a client theme is six hexadecimal digits.',
    expected: 'Colours as the page of a client names them.',
  },
  flow_not_kept: {
    ...pages,
    status: 404,
    title: 'No such flow',
    answer: 'It is not recorded: the recorder keeps the newest requests alone.',
    expected: 'A flow that /flows lists.',
  },
  // logout
  logout_hint_unreadable: {
    status: 400,
    title: 'The application sent an invalid logout',
    answer:
      'Its id_token_hint is no ID token of this server, so nobody was logged out. Please tell the developers of the application.',
    reason: 'the id_token_hint is no ID token of this server',
    expected: 'An ID token of this server, or no id_token_hint.',
    standard: oidcLogout('4'),
  },
  logout_question_closed: {
    ...pages,
    status: 400,
    title: 'This question is no longer open',
    answer: `It was already answered, is older than ${answerTime}, or was asked in another browser. Nothing was changed: log out again where you began.`,
    expected: `An answer within ${answerTime}, from the browser that was asked.`,
  },
  // /saml/sso
  saml_request_missing: {
    status: 400,
    title: 'No SAML request',
    answer:
      'The parameter SAMLRequest is missing: a service provider sends it to begin a login. There is no login without it.',
    expected: 'A SAMLRequest in the query or in a form.',
    standard: samlBindings('3.4.4.1'),
  },
  saml_login_form_wrong: {
    ...pages,
    status: 400,
    title: 'Wrong SAML login form',
    answer: ({ field }: { field: string }) => `The field ${field} must be GET or POST.`,
    expected: 'The form of the login page as it was opened.',
  },
});
