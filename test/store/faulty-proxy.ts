import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A proxy to a server on loopback that can hang, as a server that takes connections and passes nothing, or be away. Ends
 * with its test.
 */
export async function openFaultyProxy(target: string) {
  const url = new URL(target);
  const { hostname, port } = url;
  let pairs: Array<[Socket, Socket]> = [];
  let isStalled = false;
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => {}); // Either side may cut it.
    pairs.push([near, far]);
    if (!isStalled) near.pipe(far).pipe(near);
  });

  async function comeBack(): Promise<void> {
    proxy.listen(Number(url.port), '127.0.0.1');
    await once(proxy, 'listening');
  }

  async function goAway(): Promise<void> {
    if (!proxy.listening) return;
    proxy.close();
    for (const socket of pairs.flat()) socket.destroy();
    pairs = [];
    await once(proxy, 'close');
  }

  url.port = '0';
  await comeBack();
  onTestFinished(goAway);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    goAway,
    comeBack,
    /** Lets nothing pass from now on, on open and on new connections. */
    stall() {
      isStalled = true;
      for (const socket of pairs.flat()) {
        socket.unpipe();
        socket.pause();
      }
    },
    /** Lets new connections pass, and those that hang, with their data, unless they are to stay so. */
    goOn({ onlyNew = false } = {}) {
      isStalled = false;
      if (!onlyNew) for (const [near, far] of pairs) near.pipe(far).pipe(near);
    },
  };
}
