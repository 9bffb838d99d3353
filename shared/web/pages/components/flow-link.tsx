// A link from a rejection, or from its audit entry, to the flow that its request belongs to.
import { OwnLink } from './own-link.tsx';

interface FlowLinkProps {
  /** The id of a request in the recorder. */
  readonly requestId: string;
}

export function FlowLink({ requestId }: FlowLinkProps) {
  return <OwnLink href={`/flows?${new URLSearchParams({ request: requestId })}`}>Show this flow</OwnLink>;
}
