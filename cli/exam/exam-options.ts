// The options of an exam, parsed and checked (EXM-01).
import { readOptions } from '../command-line.ts';
import { namedInstance } from '../instance-address.ts';
import { optionsOf } from '../options.ts';
import { UsageError } from '../usage-error.ts';
import { type ExamCase, examCases, matchesPattern, type Protocol } from './cases.ts';
import { type Criterion, readCriterion } from './logged-in-criterion.ts';

export interface ExamOptions {
  readonly protocol: Protocol;
  /** client_id, or the Issuer of AuthnRequests. */
  readonly subject: string;
  readonly loginUrl: URL;
  /** Base address of the instance, without sandbox and trailing slash. */
  readonly idp: string;
  readonly sandbox: string | undefined;
  /** The user who logs in. undefined: a user created for the exam. */
  readonly person: { readonly username: string; readonly password: string } | undefined;
  readonly criterion: Criterion | undefined;
  readonly cases: readonly ExamCase[];
  readonly timeoutSeconds: number;
  readonly junitFile: string | undefined;
  readonly json: boolean;
  readonly browser: boolean;
  readonly insecure: boolean;
  readonly managementSecret: string | undefined;
  /** No other client uses the namespace, so faults may also apply to requests that name no client. */
  readonly alone: boolean;
  readonly allowUndecided: boolean;
}

/** `list`: only the list of cases is requested. @throws UsageError */
export function readExamOptions(
  args: readonly string[],
  environment = process.env,
): ExamOptions | { readonly list: readonly ExamCase[] } {
  const values = readOptions(args, optionsOf.exam);
  const { client, sp, user, password, sandbox } = values;
  const protocol: Protocol = values.saml === true || sp !== undefined ? 'saml' : 'oidc';
  if (values.list === true) {
    return { list: values.saml === true ? examCases('saml') : [...examCases('oidc'), ...examCases('saml')] };
  }
  if (protocol === 'saml' && client !== undefined) throw new UsageError('--client and --saml exclude each other');
  const subject = protocol === 'oidc' ? client : sp;
  if (subject === undefined || subject === '') {
    throw new UsageError(
      protocol === 'oidc'
        ? '--client is missing. Name the client with --client, or a service provider with --saml --sp.'
        : '--sp is missing. --saml requires it.',
    );
  }
  if (protocol === 'saml' && values.saml !== true) throw new UsageError('--sp requires --saml');
  if ((user === undefined) !== (password === undefined))
    throw new UsageError('--user and --password require each other');
  if (sandbox !== undefined && !/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(sandbox)) {
    throw new UsageError('--sandbox must be the name of a sandbox');
  }
  return {
    ...{ protocol, subject, sandbox },
    loginUrl: webAddress('--login-url', values['login-url']),
    idp: namedInstance(values.idp ?? 'http://127.0.0.1:8000', environment, '--idp') ?? '',
    person: user === undefined || password === undefined ? undefined : { username: user, password },
    criterion: values['logged-in-when']?.flatMap(readCriterion),
    cases: chosen(examCases(protocol), asOneList(values.only), asOneList(values.except)),
    timeoutSeconds: seconds(values.timeout ?? '15'),
    junitFile: values.junit,
    json: values.json === true,
    browser: values.browser === true,
    insecure: values.insecure === true,
    managementSecret: values['management-secret'] ?? (environment.IDP_MANAGEMENT_SECRET || undefined),
    alone: values.alone === true,
    allowUndecided: values['allow-undecided'] === true,
  };
}

/** An option that accepts a list with commas may also be repeated. */
function asOneList(given: readonly string[] | undefined): string | undefined {
  return given?.join(',');
}

function webAddress(option: string, text: string | undefined): URL {
  if (text === undefined)
    throw new UsageError(`${option} is missing. It is the URL where the application starts a login.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`${option} must be a URL such as http://localhost:3000/login`);
}

function seconds(text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 120) throw new UsageError(`--timeout must be seconds from 1 to 120, not '${text}'`);
  return value;
}

function chosen(cases: readonly ExamCase[], only: string | undefined, except: string | undefined): readonly ExamCase[] {
  const included = patterns('--only', only, cases);
  const unwanted = patterns('--except', except, cases) ?? [];
  const left = cases.filter(
    ({ name }) =>
      (included === undefined || included.some((pattern) => matchesPattern(name, pattern))) &&
      !unwanted.some((pattern) => matchesPattern(name, pattern)),
  );
  if (left.length === 0) throw new UsageError('--only and --except select no case');
  return left;
}

function patterns(option: string, text: string | undefined, cases: readonly ExamCase[]): string[] | undefined {
  if (text === undefined) return undefined;
  const named = text.split(',').map((pattern) => pattern.trim());
  const unmatched = named.find((pattern) => !cases.some(({ name }) => matchesPattern(name, pattern)));
  if (unmatched === undefined) return named;
  throw new UsageError(`${option}: unknown case '${unmatched}'. test-idp exam --list lists all cases.`);
}
