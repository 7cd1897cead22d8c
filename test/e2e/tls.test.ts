import { expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { serveSecurely } from '../cli/secure-server.ts';
import { openStage } from '../stage.ts';

it('NAC_TLS decides whether the NAC is asked, and the answer names it', async () => {
  let requests = 0;
  const { url, pin } = await serveSecurely((_request, response) => {
    requests++;
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(sessionXml({}));
  });
  const stage = await openStage({ NAC_URL: url, NAC_HISTORY: '0' });
  const ask = async () => (await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0];
  expect(await ask()).toMatch(/comes from an authority that the bot does not trust\..* can check NAC_TLS\./);
  await stage.restart({ NAC_TLS: `pin:${'00'.repeat(32)}` });
  expect(await ask()).toContain('the certificate of the NAC does not match its pin.');
  expect(requests).toBe(0);
  await stage.restart({ NAC_TLS: `pin:${'00'.repeat(32)},${pin.slice('pin:'.length)}` });
  expect(await ask()).toContain('connected.');
  await stage.close();
});
