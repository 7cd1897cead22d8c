import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../src/sandbox/devices.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { openStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, only } from './cards.ts';

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';
const LINK = { title: 'Open in the NAC', url: `https://nac.example.com/endpoint?mac=${ADDRESS}` };
/** A chat service without cards, so each answer is text. */
const TEXT = { channelId: 'sms' };

let stage: Stage;
beforeAll(async () => {
  const NAC_LINK = 'https://nac.example.com/endpoint?mac={mac}';
  stage = await openStage({ NAC_LINK, ALERTS_TOKEN: 'token-for-alerts' });
});
afterAll(() => stage.close());

describe('a lookup', () => {
  it('is answered with a card and a plain summary, the tokens literally in both, and posts them once', async () => {
    const before = stage.posts().length;
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
    expect(JSON.stringify(cardOf(said))).toContain(`"text":"${TOKENS[0]}"`);
    expect(buttonsOf(cardOf(said))).toContainEqual(expect.objectContaining(LINK));
    expect(stage.posts().slice(before)).toEqual([
      [`${ADDRESS} connected, sw-floor2-17 Gi1/0/15`, ...TOKENS].join('\n'),
    ]);
  });
});

describe('the place of the answer', () => {
  const thread = '19:floor3@thread.tacv2;messageid=42';

  it('is the thread of the question', async () => {
    const question = { ...inThread(thread), id: 'q-1' };
    const { replies } = await stage.say(`<at>NAC lookup</at>&nbsp;${ADDRESS}`, question);
    const activity = { conversation: { id: thread }, replyToId: 'q-1' };
    const reply = { method: 'POST', conversationId: thread, replyToId: 'q-1', activity };
    expect(replies).toMatchObject([reply]);
  });

  it('is a channel only if the bot itself was mentioned', async () => {
    const calls = stage.sandbox.nacCalls.length;
    const other = { type: 'mention', text: '<at>Megan</at>', mentioned: { id: 'user-2' } };
    for (const place of [inThread(thread, false), { ...inThread(thread), entities: [other] }])
      expect((await stage.say(`lookup ${ADDRESS}`, place)).replies).toEqual([]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });
});

it("the button to the NAC's page of a device stands in an alert, too", async () => {
  await stage.say('alerts here as noc', inThread('19:noc@thread.tacv2;messageid=1'));
  expect(await stage.alert(`port down, ${ADDRESS}`, 'noc')).toBe(202);
  const told = () => JSON.stringify(stage.replies.at(-1)?.activity);
  await expect.poll(told).toContain(LINK.url);
});

/** Markdown, a link finder or a card's formulas could misread them. */
const MISLEADING = 'Wired_802.1X _lead trail_ __both__ a-_-b Corp_example.com Größe_名前 7_ _.x'.split(' ');

it('tokens stay unchanged in card, summary, text and post', async () => {
  const devices = MISLEADING.map((token, index): Device => {
    const address = `00:1B:54:00:AA:0${index + 1}`;
    const xml = sessionXml({ calling_station_id: address, selected_azn_profiles: token, other: {} });
    return { address, answer: { kind: 'session', xml } };
  });
  const nac = await listen(createNac({ accounts: [SERVICE_ACCOUNT], devices }).server);
  const stage = await openStage({ NAC_URL: nac.url });
  const question = devices.map(({ address }) => address).join(' ');
  const shown = only((await stage.say(question)).replies);
  const { texts } = await stage.say(question, TEXT);
  const [post = '', again] = stage.posts();
  await stage.close();
  await nac.close();
  const places = [linesOf(cardOf(shown)), String(shown.activity.summary).split('\n'), post.split('\n')];
  for (const lines of places) expect(lines).toEqual(expect.arrayContaining(MISLEADING));
  for (const token of MISLEADING) expect(texts.join()).toContain(`  \n\`${token}\`\n\n`);
  expect(again).toBe(post);
});
