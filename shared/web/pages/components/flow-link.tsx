// From a refusal, or the audit's word of it, to the flow that its request belongs to.
import { OwnLink } from './own-link.tsx';

interface FlowLinkProps {
  /** Of a request that the recorder keeps. */
  readonly requestId: string;
}

export function FlowLink({ requestId }: FlowLinkProps) {
  return <OwnLink href={`/flows?${new URLSearchParams({ request: requestId })}`}>See it step by step</OwnLink>;
}
