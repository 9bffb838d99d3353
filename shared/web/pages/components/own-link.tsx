// Links and forms that lead to pages of this server. A page defines once how its namespace writes a path
// (`renderPage`). The elements on the page name paths as the routes do. Plain <a> and <form> are for other addresses.
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Turns a path as routes name it into the path that a browser must request: `ProtocolContext.path`. */
export type OwnPath = (path: string) => string;

/** Whether the page's namespace has that path: `ProtocolContext.reaches`. */
export type Reaches = (path: string) => boolean;

const OwnPathContext = createContext<OwnPath>((path) => path);
const ReachesContext = createContext<Reaches>(() => true);

interface OwnPathsProps {
  readonly path: OwnPath;
  /** undefined: every path. */
  readonly reaches?: Reaches | undefined;
  readonly children: ComponentChildren;
}

export function OwnPaths({ path, reaches = () => true, children }: OwnPathsProps) {
  return (
    <ReachesContext.Provider value={reaches}>
      <OwnPathContext.Provider value={path}>{children}</OwnPathContext.Provider>
    </ReachesContext.Provider>
  );
}

/** Content that is shown only where that path exists, such as the form that is sent to it. */
export function IfPathExists({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  return useContext(ReachesContext)(path) ? children : null;
}

interface OwnLinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
  readonly download?: boolean | undefined;
  readonly 'aria-label'?: string | undefined;
  readonly 'aria-current'?: 'page' | undefined;
}

/** Where the namespace has no such page, the text is shown without a link. */
export function OwnLink({ href, ...rest }: OwnLinkProps) {
  const path = useContext(OwnPathContext);
  return useContext(ReachesContext)(href) ? <a {...rest} href={path(href)} /> : <span>{rest.children}</span>;
}

interface OwnFormProps {
  readonly method: 'get' | 'post';
  readonly action: string;
  readonly children: ComponentChildren;
  readonly class?: string | undefined;
  /** For forms that carry files. */
  readonly enctype?: 'multipart/form-data' | undefined;
}

export function OwnForm({ action, ...rest }: OwnFormProps) {
  return <form {...rest} action={useContext(OwnPathContext)(action)} />;
}
