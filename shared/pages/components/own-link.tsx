// Links and forms that lead to pages of this server. A page says once how its namespace writes a path (`renderPage`);
// whatever is on it names paths as the routes do. Plain <a> and <form> are for other addresses.
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** From a path as routes name it to the one a browser must ask for: `RequestContext.path`. */
export type OwnPath = (path: string) => string;

const OwnPathContext = createContext<OwnPath>((path) => path);

export function OwnPaths({ path, children }: { readonly path: OwnPath; readonly children: ComponentChildren }) {
  return <OwnPathContext.Provider value={path}>{children}</OwnPathContext.Provider>;
}

export interface OwnLinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
  readonly download?: boolean | undefined;
  readonly 'aria-label'?: string | undefined;
  readonly 'aria-current'?: 'page' | undefined;
}

export function OwnLink({ href, ...rest }: OwnLinkProps) {
  return <a {...rest} href={useContext(OwnPathContext)(href)} />;
}

export interface OwnFormProps {
  readonly method: 'get' | 'post';
  readonly action: string;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
}

export function OwnForm({ action, ...rest }: OwnFormProps) {
  return <form {...rest} action={useContext(OwnPathContext)(action)} />;
}
