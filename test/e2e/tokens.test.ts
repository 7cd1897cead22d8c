import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../src/sandbox/devices.ts';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { openStage, type Stage } from '../stage.ts';
import { cardOf, linesOf } from './cards.ts';

/** Tokens that markdown, a link finder or a card's formulas could misread. */
const TOKENS = [
  'Wired_802.1X',
  '_lead',
  'trail_',
  '__both__',
  'a-_-b',
  'Corp_example.com',
  'Größe_名前',
  '7_',
  '_.x',
];
const DEVICES = TOKENS.map((token, index): Device & { token: string } => {
  const address = `00:1B:54:00:AA:0${index + 1}`;
  const xml = sessionXml({ calling_station_id: address, selected_azn_profiles: token, other: {} });
  return { token, address, what: token, answer: { kind: 'session', xml } };
});
const POSTED = 'The tokens were posted to the room.';

let stage: Stage;
let nac: Listening;
beforeAll(async () => {
  nac = await listen(createNac({ accounts: [SERVICE_ACCOUNT], devices: DEVICES }).server);
  stage = await openStage({ NAC_URL: nac.url });
});
afterAll(async () => {
  await stage.close();
  await nac.close();
});

describe('the token', () => {
  it.each(DEVICES)('$token stays unchanged in card, summary, text and post', async ({ token, address }) => {
    const before = stage.sandbox.room.posts().length;
    const [shown] = (await stage.say(`lookup ${address}`)).replies;
    if (!shown) throw new Error('no answer');
    const hidden = cardOf(shown).body?.find((element) => 'isVisible' in element);
    expect(hidden?.items?.flatMap(linesOf)).toEqual(['Tokens', token]);
    expect(String(shown.activity.summary).split('\n').slice(1)).toEqual([token, POSTED]);
    const { texts } = await stage.say(`lookup ${address}`, { channelId: 'sms' });
    expect(texts).toEqual([expect.stringContaining(`Tokens:  \n\`${token}\`\n\n`)]);
    const posts = stage.sandbox.room.posts().slice(before);
    expect(posts.map(({ text }) => text)).toEqual([`${address}\n${token}`, `${address}\n${token}`]);
  });

  it('stays unchanged in the answer for several devices', async () => {
    const all = DEVICES.map(({ address }) => address).join(' ');
    const [shown] = (await stage.say(all)).replies;
    if (!shown) throw new Error('no answer');
    const lines = linesOf(cardOf(shown));
    for (const { token } of DEVICES) expect(lines).toContain(token);
    const from = { id: 'someone-else' }; // This person's minute is not used up.
    const [text = ''] = (await stage.say(all, { channelId: 'sms', from })).texts;
    for (const { token } of DEVICES) expect(text).toContain(`  \n\`${token}\`\n\n`);
  });
});
