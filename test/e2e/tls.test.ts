import { expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { serveSecurely } from '../cli/secure-server.ts';
import { openStage } from '../stage.ts';

it.each([
  ['verify', 'the certificate of the NAC comes from an authority that the bot does not trust'],
  [`pin:${'00'.repeat(32)}`, 'the certificate of the NAC does not match its pin'],
  ['the right pin among others', undefined],
])('a NAC behind TLS, with NAC_TLS=%s: %s', async (mode, refusal) => {
  let requests = 0;
  const { url, pin } = await serveSecurely((_request, response) => {
    requests++;
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(sessionXml({}));
  });
  const NAC_TLS = refusal === undefined ? `pin:${'00'.repeat(32)},${pin.slice('pin:'.length)}` : mode;
  const stage = await openStage({ NAC_URL: url, NAC_TLS, NAC_HISTORY: '0' });
  const [answer = ''] = (await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts;
  await stage.close();
  if (refusal === undefined) return expect(answer).toContain('connected.');
  expect(answer.split('\n')).toEqual([
    `not asked, because ${refusal}. Whoever runs the bot can check NAC_TLS. AA:BB:CC:DD:EE:FF`,
    expect.stringMatching(/^Report number \d{6}\.$/),
  ]);
  expect(requests).toBe(0);
});
