// A QR code as an inline drawing. Always dark on light, regardless of the page's colours: many scanners read no other.

/** Rows of modules with the quiet zone around them. true is dark. */
type QrModules = readonly (readonly boolean[])[];

export async function qrModules(text: string): Promise<QrModules> {
  // Loaded on first use: few requests need it.
  const { encodeQR } = await import('qr');
  return encodeQR(text, 'raw', { border: 4 });
}

interface QrCodeProps {
  readonly modules: QrModules;
  /** The alternative text for screen readers. */
  readonly label: string;
}

export function QrCode({ modules, label }: QrCodeProps) {
  const size = modules.length;
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
