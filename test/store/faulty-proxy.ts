import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server on loopback that can hang, as a server that takes connections and passes nothing, or be away. */
export type FaultyProxy = {
  /** The server's address through this proxy. */
  url: string;
  /** Lets nothing pass from now on, on open and on new connections. */
  stall(): void;
  /** Lets new connections pass; connections that hang stay so. */
  passNewOnes(): void;
  /** Lets everything pass, waiting data included. */
  goOn(): void;
  /** Ends all connections, and refuses new ones until {@link comeBack}. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

export async function openFaultyProxy(target: string): Promise<FaultyProxy> {
  const url = new URL(target);
  const { hostname, port } = url;
  let pairs: Array<[Socket, Socket]> = [];
  let isStalled = false;
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => {}); // Either side may cut it.
    pairs.push([near, far]);
    if (!isStalled) join(near, far);
  });

  async function comeBack(at = 0): Promise<void> {
    proxy.listen(at, '127.0.0.1');
    await once(proxy, 'listening');
  }

  async function goAway(): Promise<void> {
    if (!proxy.listening) return;
    proxy.close();
    for (const socket of pairs.flat()) socket.destroy();
    pairs = [];
    await once(proxy, 'close');
  }

  await comeBack();
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    stall() {
      isStalled = true;
      for (const socket of pairs.flat()) {
        socket.unpipe();
        socket.pause();
      }
    },
    passNewOnes() {
      isStalled = false;
    },
    goOn() {
      isStalled = false;
      for (const [near, far] of pairs) join(near, far);
    },
    goAway,
    comeBack: () => comeBack(Number(url.port)),
    close: goAway,
  };
}

function join(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
}
