import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { makeCertificate } from '../certificate.ts';
import { serve } from '../serve.ts';

/** Starts a server on loopback with a certificate of its own, and closes it when the test ends. `pin` stands for `X_TLS`. */
export async function serveSecurely(listener: RequestListener, { name = '127.0.0.1', to = 30 } = {}) {
  const { key, cert: pem, pin } = await makeCertificate([name], { to });
  const url = await serve(createServer({ key, cert: pem }, listener));
  return { url: url.replace('http:', 'https:'), pin: `pin:${pin.replaceAll(':', '')}`, pem };
}
