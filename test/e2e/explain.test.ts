import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { answer } from '../serve.ts';
import { openStage } from '../stage.ts';

const REMEMBERED = '00:1B:54:00:00:21';
const REJECTED = '00:1B:54:00:00:03';

it.each(['1', '0'])(
  'with NAC_HISTORY=%s, a device that is not connected is explained',
  async (NAC_HISTORY) => {
    const isOn = NAC_HISTORY === '1';
    const stage = await openStage({ NAC_HISTORY });
    onTestFinished(stage.close);
    const linesOf = async (question: string) =>
      (await stage.say(question, { channelId: 'sms' })).texts.join('\n').split(/ *\n/);
    await linesOf('AA:BB:CC:DD:EE:FF');
    expect(stage.sandbox.nacSisterCalls).toEqual([]);
    const since =
      /^7 minutes ago: failed 10 times since .+ UTC, `22056 No identity store holds this device`, /;
    expect((await linesOf(REMEMBERED)).slice(1)).toEqual([
      ...(isOn ? ['Last attempts (24 hours):', expect.stringMatching(since)] : []),
      ...(isOn ? ['22056: The NAC finds no such user or device in its identity stores.'] : []),
      'Maker: `Cisco Systems, Inc`',
    ]);
    await linesOf(REJECTED);
    expect(stage.sandbox.nacSisterCalls).toHaveLength(isOn ? 2 : 0);
    expect(stage.sandbox.room.posts().at(-1)?.text).toBe(`${REJECTED}\nBlacklist_Access-Reject`);
  },
);

it('a NAC that does not know the call for attempts is asked once, which the log tells', async () => {
  const nac = createNac({
    accounts: [SERVICE_ACCOUNT],
    sisters: (_, response) => answer(response, 404, { 'content-type': 'text/html' }, '<html></html>'),
  });
  const { url, close } = await listen(nac.server);
  const stage = await openStage({ NAC_URL: url });
  for (const device of [REMEMBERED, REJECTED])
    expect((await stage.say(device)).texts.join()).not.toContain('attempt');
  await stage.close();
  await close();
  expect(nac.sisterCalls).toHaveLength(1);
  expect(stage.log.filter((line) => line.includes('it is left alone for an hour'))).toHaveLength(1);
});
