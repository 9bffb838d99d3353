// The title of a page of ours, which a browser shows with the product's name and the recorder without it.
const product = ' · test-idp';

export function titleInBrowser(title: string): string {
  return title + product;
}

/** What the page itself is called. */
export function titleOfPage(titleInBrowser: string): string {
  return titleInBrowser.endsWith(product) ? titleInBrowser.slice(0, -product.length) : titleInBrowser;
}
