import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server on loopback that can be made to hang: it takes connections, but nothing passes. */
export type StallingProxy = {
  /** The server's address through this proxy. */
  url: string;
  /** Lets nothing pass from now on, on open and on new connections. */
  stall(): void;
  /** Lets new connections pass; connections that hang stay so. */
  passNewOnes(): void;
  /** Lets everything pass, waiting data included. */
  goOn(): void;
  close(): Promise<void>;
};

export async function openStallingProxy(target: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  const pairs: Array<[Socket, Socket]> = [];
  let isStalled = false;
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => {}); // Either side may cut it.
    pairs.push([near, far]);
    if (!isStalled) join(near, far);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(target);
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
    async close() {
      proxy.close();
      for (const socket of pairs.flat()) socket.destroy();
      await once(proxy, 'close');
    },
  };
}

function join(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
}
