import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Device } from '../../src/sandbox/devices.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { serve } from '../serve.ts';
import { openStage, type Stage, stageForTest } from '../stage.ts';
import { cardOf, inThread, linesOf, only } from './cards.ts';

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('a lookup is answered with a card and a plain summary, the tokens literally in both, and posts them once', async () => {
  const said = only((await stage.say(`lookup ${ADDRESS}`)).replies);
  expect(said.activity).toMatchObject({ type: 'message', from: { id: 'bot' } });
  expect(said.activity).not.toHaveProperty('text');
  expect(String(said.activity.summary).split('\n')).toEqual([
    `connected. alex, sw-floor2-17 Gi1/0/15, 3 hours ago, ${ADDRESS}`,
    ...TOKENS,
    POSTED,
  ]);
  const lines = linesOf(cardOf(said));
  expect([...lines.slice(0, 3), lines.at(-1)]).toEqual(['Connected', ADDRESS, 'User: alex', POSTED]);
  expect(stage.posts()).toEqual([[`${ADDRESS} connected, sw-floor2-17 Gi1/0/15`, ...TOKENS].join('\n')]);
});

it('a message in a channel is a question only if the bot itself was mentioned', async () => {
  const place = inThread('19:floor3@thread.tacv2;messageid=42', false);
  const other = { type: 'mention', text: '<at>Megan</at>', mentioned: { id: 'user-2' } };
  for (const entities of [[], [other]])
    expect((await stage.say(`lookup ${ADDRESS}`, { ...place, entities })).replies).toEqual([]);
});

/** Markdown, a link finder or a card's formulas could misread them. */
const MISLEADING = 'Wired_802.1X _lead trail_ __both__ a-_-b Corp_example.com Größe_名前 7_ _.x'.split(' ');

it('tokens stay unchanged in card, summary, text and post', async () => {
  const devices = MISLEADING.map((token, index): Device => {
    const address = `00:1B:54:00:AA:0${index + 1}`;
    const xml = sessionXml({ calling_station_id: address, selected_azn_profiles: token, other: {} });
    return { address, answer: { kind: 'session', xml } };
  });
  const NAC_URL = await serve(createNac({ accounts: [SERVICE_ACCOUNT], devices }).server);
  const stage = await stageForTest({ NAC_URL });
  const question = devices.map(({ address }) => address).join(' ');
  const shown = only((await stage.say(question)).replies);
  const { texts } = await stage.say(question, { channelId: 'sms' }); // Shows no cards.
  const [post = '', again] = stage.posts();
  const places = [linesOf(cardOf(shown)), String(shown.activity.summary).split('\n'), post.split('\n')];
  for (const lines of places) expect(lines).toEqual(expect.arrayContaining(MISLEADING));
  for (const token of MISLEADING) expect(texts.join()).toContain(`  \n\`${token}\`\n\n`);
  expect(again).toBe(post);
});
