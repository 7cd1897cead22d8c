import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { openProxy, type TestProxyOptions } from '../../proxy.ts';
import { closedUrl } from '../../serve.ts';
import { diagnose } from './diagnose.ts';
import { serveSecurely } from './secure-server.ts';

async function open(options: TestProxyOptions = {}) {
  const sandbox = await startSandbox();
  const proxy = await openProxy(options);
  onTestFinished(async () => {
    await Promise.all([sandbox.close(), proxy.close()]);
  });
  return { environment: sandbox.environment, proxy, host: new URL(proxy.url).host };
}

const ACCOUNT = 'bot:canary-proxy';

it('names the systems that go through it, and those that do not', async () => {
  const { environment, proxy, host } = await open({ account: ACCOUNT });
  const room = await serveSecurely((_, response) => void response.end());
  const { rows } = await diagnose({
    ...environment,
    HTTPS_PROXY: proxy.url.replace('//', `//${ACCOUNT}@`),
    WEBHOOK_URL: room.url,
    WEBHOOK_TLS: room.pin,
  });
  expect(rows.proxy).toMatchObject({
    state: 'works',
    what: `through ${host}: webhook\nwithout a proxy: NAC, authorization service, ticket service`,
  });
  expect(rows.webhook).toMatchObject({ state: 'works', certificate: { setting: 'WEBHOOK_TLS' } });
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${new URL(room.url).host}`]));
});

it('says that it wants a password, at the systems behind it too', async () => {
  const { environment, proxy, host } = await open({ account: ACCOUNT });
  const { rows } = await diagnose({
    ...environment,
    HTTP_PROXY: proxy.url.replace('//', '//bot:canary-old@'),
  });
  const refusal = `the proxy ${host} lets nothing through: it wants a user and a password, or others (407)`;
  for (const system of ['proxy', 'NAC', 'authorization service', 'ticket service'])
    expect(rows[system]).toMatchObject({ state: 'FAILS', what: expect.stringContaining(refusal) });
});

it('says that it is away', async () => {
  const { environment } = await open();
  const { rows } = await diagnose({
    ...environment,
    HTTP_PROXY: (await closedUrl()).replace('//', '//u:canary@'),
  });
  expect(rows.proxy).toMatchObject({ state: 'FAILS', what: expect.stringContaining('ECONNREFUSED') });
  expect(rows.webhook?.state).toBe('FAILS');
});
