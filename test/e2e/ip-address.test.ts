import { afterEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { FAST, openReadyStage, openStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, pressing } from './cards.ts';

const IP = '198.51.100.23';
const DEVICE = 'AA:BB:CC:DD:EE:FF';
const SLOW_IP = '198.51.100.107';
const PATH = '/admin/API/mnt/Session/EndPointIPAddress/';

let stage: Stage;
afterEach(() => stage.close());

const paths = () => stage.sandbox.nacCalls.map(({ path }) => path);
const posts = () => stage.sandbox.room.posts().map(({ text }) => text);

describe('a lookup by IP address', () => {
  it('asks for it, names and posts the device, and asks for it again when its button is pressed', async () => {
    stage = await openStage();
    const { replies, texts } = await stage.say(`lookup ${IP}`);
    expect(texts[0]).toMatch(/^connected\. alex, .*, AA:BB:CC:DD:EE:FF at 198\.51\.100\.23$/m);
    expect(posts()).toEqual([`${DEVICE}\nCorp_Wired_Access\nBasic_Authenticated_Access`]);
    const [reply] = replies;
    if (!reply) throw new Error('no reply');
    expect(linesOf(cardOf(reply)).slice(0, 2)).toEqual(['Connected', `${DEVICE} at ${IP}`]);
    const [again, all] = buttonsOf(cardOf(reply));
    await stage.say('', pressing(again, reply.id));
    await stage.say('', pressing(all, reply.id));
    await stage.say('fields 2001:db8::23');
    expect(paths()).toEqual([
      `${PATH}${IP}`,
      `${PATH}${IP}`,
      `/admin/API/mnt/Session/MACAddress/${DEVICE}`,
      `${PATH}2001:db8::23`,
    ]);
    expect((await stage.say('recent')).texts[0]).toBe(`Last lookups here:\n${DEVICE} at ${IP}: connected`);
  });

  it('needs the command: nothing is asked for one in a message, a quote or a channel', async () => {
    stage = await openReadyStage({}, FAST);
    const quote = `<blockquote itemtype="http://schema.skype.com/Reply">${IP}</blockquote>`;
    await stage.say(IP);
    await stage.say('lookup', { attachments: [{ contentType: 'text/html', content: quote }] });
    const channel = '19:noc@thread.tacv2;messageid=1';
    await stage.say('autoreply on', inThread(channel));
    expect((await stage.say(`lookup ${IP}`, inThread(channel, false))).texts).toEqual([]);
    expect(paths()).toEqual([]);
  });

  it('is taken up after a restart as it was asked', { timeout: 60_000 }, async () => {
    stage = await openReadyStage({}, FAST);
    await stage.say(`lookup ${SLOW_IP}`, { id: 'slow-ip' });
    await stage.restart();
    await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 40_000);
    const [, answer] = stage.replies;
    if (!answer) throw new Error('no answer');
    expect(textOf(answer)).toMatch(/^connected\. megan, .*, 00:1B:54:00:00:07 at 198\.51\.100\.107$/m);
    expect(paths()).toEqual([`${PATH}${SLOW_IP}`, `${PATH}${SLOW_IP}`]);
    expect(posts()).toHaveLength(1);
  });
});
