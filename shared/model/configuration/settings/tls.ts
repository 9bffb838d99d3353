// `server.tls`: whether and with what the server speaks TLS (TLS-01).
import * as z from 'zod';
import { filledText, judged, section } from '../value-kinds.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string | undefined;
}

const tlsFiles = section({ cert: filledText(), key: filledText(), ca: filledText().optional() });

const expected = 'must be auto, or a mapping of cert, key and, if wanted, ca with the paths of PEM files';

/** `auto`: a certificate by an authority of this program's own. */
export const tlsSetting = () =>
  z.union(
    [judged((value) => (value === 'auto' ? undefined : expected)).transform(() => 'auto' as const), tlsFiles],
    expected,
  );

/** What a run was told, by the command line or by whoever began the stack: wins over the file. */
export type TlsInForce = 'off' | 'auto' | TlsFiles;
