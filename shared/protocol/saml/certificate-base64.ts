/** The certificate of a PEM in the form of KeyInfo and metadata: base64 without line breaks. */
export function certificateBase64(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
}
