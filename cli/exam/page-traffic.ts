// Tracks one page of Chromium through DevTools: its running requests, the document that it waits for and the one it
// shows.
import * as z from 'zod';
import { systemStopwatch } from '#shared/base/clock.ts';

const responseModel = z.looseObject({
  requestId: z.string(),
  type: z.string().optional(),
  frameId: z.string().optional(),
  response: z.looseObject({ url: z.string(), status: z.number() }),
});
const requestModel = z.looseObject({
  requestId: z.string(),
  loaderId: z.string(),
  type: z.string().optional(),
  frameId: z.string().optional(),
  request: z.looseObject({ url: z.string() }),
});
const navigatedModel = z.looseObject({ frame: z.looseObject({ id: z.string(), loaderId: z.string() }) });
const endModel = z.looseObject({
  requestId: z.string(),
  canceled: z.boolean().optional(),
  errorText: z.string().optional(),
});

/** The id of a page's target is also the id of its main frame. */
export class PageTraffic {
  readonly #mainFrame: string;
  /** By request id, with the document that they belong to. */
  readonly #underWay = new Map<string, string>();
  #changedAt = systemStopwatch.read();
  #document: { readonly requestId: string; readonly url: string } | undefined;
  /** The last document that the page has shown. */
  shown: { readonly url: string; readonly status: number } | undefined;
  /** The last requested document failed to load. */
  broken: { readonly url: string; readonly cause: string } | undefined;

  constructor(mainFrame: string) {
    this.#mainFrame = mainFrame;
  }

  get quietFor(): number {
    return this.#underWay.size > 0 ? 0 : systemStopwatch.since(this.#changedAt);
  }

  get isWaitingForDocument(): boolean {
    return this.#document !== undefined || this.shown === undefined;
  }

  /** The address that the page waits for, or its current address. */
  get at(): string | undefined {
    return this.#document?.url ?? this.shown?.url;
  }

  begin(): void {
    this.#changedAt = systemStopwatch.read();
    this.broken = undefined;
  }

  onEvent(method: string, parameters: unknown): void {
    switch (method) {
      case 'Network.requestWillBeSent': {
        const { requestId, loaderId, type, frameId, request } = requestModel.parse(parameters);
        this.#underWay.set(requestId, loaderId);
        if (type === 'Document' && frameId === this.#mainFrame) {
          this.#document = { requestId, url: request.url };
          this.broken = undefined;
        }
        break;
      }
      case 'Network.responseReceived': {
        const { requestId, response } = responseModel.parse(parameters);
        if (this.#document?.requestId === requestId) this.shown = { url: response.url, status: response.status };
        return;
      }
      case 'Network.loadingFinished':
      case 'Network.loadingFailed': {
        const { requestId, canceled, errorText = '' } = endModel.parse(parameters);
        this.#underWay.delete(requestId);
        if (this.#document?.requestId === requestId) {
          // A page that navigates before it has loaded completely is not broken.
          if (method === 'Network.loadingFailed' && canceled !== true) {
            this.broken = { url: this.#document.url, cause: errorText };
          }
          this.#document = undefined;
        }
        break;
      }
      case 'Page.frameNavigated': {
        const { id, loaderId } = navigatedModel.parse(parameters).frame;
        // The page's pending requests end with it, without an event.
        for (const [requestId, of] of this.#underWay) {
          if (id === this.#mainFrame && of !== loaderId) this.#underWay.delete(requestId);
        }
        break;
      }
      case 'Page.frameStartedLoading':
        break;
      default:
        return;
    }
    this.#changedAt = systemStopwatch.read();
  }
}
