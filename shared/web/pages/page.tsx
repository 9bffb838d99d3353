// The frame of every HTML response: doctype, head, landmarks, skip link. Text arrives as JSX children and is escaped by
// construction (WEB-28). Scripts and styles are served files only (WEB-26). The title names the page, never a person.

import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { titleInBrowser } from '#shared/base/page-title.ts';
import { assetAddress, type ScriptName } from './assets.ts';
import { type OwnPath, OwnPaths, type Reaches } from './components/own-link.tsx';

export interface PageProps {
  /** The title in the tab and in the history. It must not contain user names or values, which would leak. */
  readonly title: string;
  readonly children: ComponentChildren;
  /** How links and forms of the page write paths: `ProtocolContext.path`. */
  readonly path: OwnPath;
  /** `ProtocolContext.reaches`, for a page with links that not every namespace has. */
  readonly reaches?: Reaches | undefined;
  /** `narrow`: one centred column, for logins and messages. `wide` (default): the web UI. */
  readonly width?: 'narrow' | 'wide' | undefined;
  /** The content above the main landmark. undefined: the plain wordmark. `null`: nothing. */
  readonly header?: ComponentChildren;
  readonly footer?: ComponentChildren;
  /** Served scripts that improve the page. It must work without them (WEB-29). */
  readonly scripts?: readonly ScriptName[] | undefined;
  /** Addresses of further served style sheets, such as a client's colours. */
  readonly styleSheets?: readonly string[] | undefined;
  /** Further classes of the body, such as the ground of logins. */
  readonly bodyClass?: string | undefined;
}

/** The whole document as text. */
export function renderPage(props: PageProps): string {
  return `<!DOCTYPE html>${renderToString(
    <OwnPaths path={props.path} reaches={props.reaches}>
      <Page {...props} />
    </OwnPaths>,
  )}`;
}

const skipText = 'Skip to content';
const endOfSkipLink = `${skipText}</a>`;

/** The document with an element above all other visible content. */
export function withTopOfPage(documentText: string, element: string): string {
  return documentText.replace(endOfSkipLink, () => endOfSkipLink + element);
}

function Page({
  path,
  title,
  children,
  width = 'wide',
  header,
  footer,
  scripts = [],
  styleSheets = [],
  bodyClass,
}: Omit<PageProps, 'reaches'>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{titleInBrowser(title)}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href={path(assetAddress('icon.svg'))} type="image/svg+xml" />
        <link rel="stylesheet" href={path(assetAddress('style.css'))} />
        {styleSheets.map((address) => (
          <link key={address} rel="stylesheet" href={path(address)} />
        ))}
        {scripts.map((name) => (
          <script key={name} type="module" src={path(assetAddress(name))} />
        ))}
      </head>
      <body class={`page page-${width}${bodyClass === undefined ? '' : ` ${bodyClass}`}`}>
        <a class="skip-link" href="#main">
          {skipText}
        </a>
        {header === undefined ? <PlainHeader /> : header}
        <main id="main" class="main" tabIndex={-1}>
          {children}
        </main>
        {footer}
      </body>
    </html>
  );
}

function PlainHeader() {
  return (
    <header class="plain-header">
      <Wordmark />
    </header>
  );
}

/** The product's name with its mark. */
export function Wordmark() {
  return (
    <span class="wordmark">
      <svg class="wordmark-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
        <rect
          x="2.75"
          y="1.75"
          width="14.5"
          height="16.5"
          rx="3"
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
        />
        <path d="M8 4.75h4" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
        <circle cx="10" cy="10" r="2" fill="currentColor" />
        <path d="M6.5 15.25a3.5 3.5 0 0 1 7 0" fill="currentColor" />
      </svg>
      test-idp
    </span>
  );
}
