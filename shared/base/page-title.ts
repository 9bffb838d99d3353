// Page titles: the browser shows them with the product's name, the recorder without it.
const product = ' · test-idp';

export function titleInBrowser(title: string): string {
  return title + product;
}

/** The title without the product's name. */
export function titleOfPage(titleInBrowser: string): string {
  return titleInBrowser.endsWith(product) ? titleInBrowser.slice(0, -product.length) : titleInBrowser;
}
