/** The certificate of a PEM as KeyInfo and metadata carry it: base64 without line breaks. */
export function certificateBase64(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
}
