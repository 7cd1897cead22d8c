import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { ProxyFault } from '../domain/outcome.ts';
import { type Proxies, ProxyError, type ProxyServer, proxyAuthorization, proxyFor } from './proxies.ts';

export type WayOut = {
  proxies: Proxies;
  /** Called after each connection through a proxy, with undefined if the proxy let it through. */
  onProxy: (fault: ProxyFault | undefined) => void;
};

/**
 * Connects through a proxy where there is one on the way. Over https the proxy makes a tunnel (CONNECT, RFC 9110, section
 * 9.3.6), in which `connect` judges the system's own certificate. For http, the socket ends at the proxy, because many proxies
 * refuse tunnels to port 80: requests must name the whole address. The machine's authorities judge the proxy's certificate.
 * @param timeout of the way to the proxy, and of its answer, in milliseconds
 */
export function connectThrough(
  { proxies, onProxy }: WayOut,
  connect: buildConnector.connector,
  timeout: number,
): buildConnector.connector {
  const connectToProxy = buildConnector({ timeout, allowH2: false });

  return (options, callback) => {
    const proxy = proxyFor(proxies, options);
    if (proxy === undefined) return connect(options, callback);

    const fail = (code: string) => {
      const fault = { proxy: proxy.url.host, code };
      onProxy(fault);
      callback(new ProxyError(fault), null);
    };
    if (options.protocol === 'http:') {
      const { protocol, host, hostname, port } = proxy.url;
      const bare = hostname.replace(/^\[|\]$/g, '');
      return connectToProxy({ protocol, host, hostname: bare, port }, (...[error, socket]) =>
        error ? fail(codeOf(error)) : callback(null, socket),
      );
    }
    openTunnel({ proxy, connect: connectToProxy, to: authorityOf(options), timeout }, (result) => {
      if (typeof result === 'string') return fail(result);
      onProxy(undefined);
      connect({ ...options, httpSocket: result }, callback);
    });
  };
}

type Tunnel = { proxy: ProxyServer; connect: buildConnector.connector; to: string; timeout: number };

/** Has a proxy open a tunnel. Calls back with its socket, or with the code of what went wrong. */
function openTunnel(
  { proxy, connect, to, timeout }: Tunnel,
  callback: (result: Socket | string) => void,
): void {
  const client = new Client(proxy.url.origin, { connect, headersTimeout: timeout, allowH2: false });
  const headers = { host: to, ...proxyAuthorization(proxy) };
  client.connect({ path: to, headers }, (error, answer) => {
    void client.destroy(); // The socket belongs to the tunnel.
    if (error) return callback(codeOf(error));
    const socket = answer.socket as Socket;
    if (answer.statusCode >= 200 && answer.statusCode < 300) return callback(socket);
    socket.on('error', () => {}).destroy();
    callback(String(answer.statusCode));
  });
}

/** The host and the port of a system, as CONNECT names them. */
function authorityOf({ host, hostname, port }: buildConnector.Options): string {
  const name = host ?? hostname; // `host` has the port behind it, unless that is 443.
  return port ? name : `${name}:443`;
}

function codeOf(error: Error & { code?: unknown }): string {
  if (error.name === 'HTTPParserError') return 'NOT_HTTP';
  return typeof error.code === 'string' ? error.code : error.name;
}
