import type { Agent, Dispatcher } from 'undici';

/** A whole answer; its body as it came over the wire. */
export type Exchanged = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
};

/** No whole answer came in time. */
export class ExchangeTimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * One request and its whole answer. On undici's own handler interface, since its `request` makes a stream and listens to a signal
 * for each call, which is a third of what a call costs.
 * @param timeoutMs of all of it, connecting included
 * @param onBegin told when the answer's head has come
 * @throws ExchangeTimeoutError, or what undici says of the wire
 */
export function exchange(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  timeoutMs: number,
  onBegin: () => void,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    let late: ExchangeTimeoutError | undefined;
    let head: Omit<Exchanged, 'body'> | undefined;

    const timer = setTimeout(() => {
      late = new ExchangeTimeoutError(`no whole answer in ${timeoutMs} ms`);
      controller?.abort(late);
      reject(late);
    }, timeoutMs);

    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (late) started.abort(late);
      },
      onResponseStart(_controller, status, headers) {
        if (status < 200) return; // Only on the way to the answer (RFC 9110, section 15.2).
        head = { status, headers };
        onBegin();
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        clearTimeout(timer);
        if (head) resolve({ ...head, body: Buffer.concat(chunks) });
        else reject(new TypeError('an answer ended that had not begun'));
      },
      onResponseError(_controller, error) {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
