// `server.tls`: whether the server uses TLS, and with which certificate (TLS-01).
import * as z from 'zod';
import { filledText, judged, section } from '../value-kinds.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

const tlsFiles = section({ cert: filledText(), key: filledText(), ca: filledText().optional() });

const expected = 'must be auto, or a mapping of cert, key and optionally ca to the paths of PEM files';

/** `auto`: a certificate that this program's own authority issues. */
export const tlsSetting = () =>
  z.union(
    [judged((value) => (value === 'auto' ? undefined : expected)).transform(() => 'auto' as const), tlsFiles],
    expected,
  );

/** TLS as set on the command line or by the code that started the stack. Overrides the file. */
export type TlsInForce = 'off' | 'auto' | TlsFiles;
