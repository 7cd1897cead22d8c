import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { inThread } from './cards.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const REJECTED = '00:1B:54:00:00:03';

/** A reply in a chat as Teams delivers it: the quoted message, and the typed text below. */
const quoting = (quoted: string, typed: string) => ({
  attachments: [
    {
      contentType: 'text/html',
      content: `<blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1795254026660">\r\n<strong itemprop="mri" itemid="8:orgid:1b540000-0000-4000-8000-00000000aabb">Megan</strong><span itemprop="time" itemid="1795254026660"></span>\r\n<p itemprop="preview">${quoted}</p>\r\n</blockquote>\r\n<p>${typed}</p>`,
    },
  ],
});

const preview = { type: 'quotedReply', quotedReply: { messageId: '1', preview: `${REJECTED} is down` } };

describe('a message that quotes another', () => {
  it.each<[string, Record<string, unknown>, string | RegExp]>([
    ['what is this?', quoting(`down: ${REJECTED}`, 'what is this?'), /^rejected\. .*00:1B:54:00:00:03$/m],
    ['lookup', quoting('<b>00:1B:54</b>:00:00:03&nbsp;is&nbsp;down', 'lookup'), 'rejected.'],
    ['and this?', { entities: [preview] }, 'rejected.'],
    [
      '<at>NAC lookup</at> which is it?',
      { ...inThread('19:noc@thread.tacv2;messageid=1'), ...quoting(REJECTED, 'which is it?') },
      'rejected.',
    ],
    [
      '',
      { attachments: [{ contentType: 'text/html', content: `<table><td>${REJECTED}</td></table>` }] },
      'rejected.',
    ],
    [
      'and AA:BB:CC:DD:EE:FF?',
      quoting(REJECTED, 'and AA:BB:CC:DD:EE:FF?'),
      /^connected\. .*AA:BB:CC:DD:EE:FF$/m,
    ],
  ])('is answered for the device that it asks about: %s', async (text, changes, answer) => {
    const calls = stage.sandbox.nacCalls.length;
    expect((await stage.say(text, changes)).texts).toEqual([
      typeof answer === 'string' ? expect.stringContaining(answer) : expect.stringMatching(answer),
    ]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls + 1);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['thanks, fixed', quoting(`down: ${REJECTED}`, 'thanks, fixed'), `Here is one: ${REJECTED}.`],
    ['help', quoting(REJECTED, 'help'), 'Commands:'],
    [
      '',
      { attachments: [{ contentType: 'image/*', contentUrl: 'https://chat.example/views/original' }] },
      'I cannot see what is in a picture. Please send me the MAC address as text.',
    ],
    ['what is this?', { attachments: [null, 5, { contentType: 7 }] }, "I don't know that command"],
  ])('asks the NAC nothing otherwise: %s', async (text, changes, answer) => {
    const calls = stage.sandbox.nacCalls.length;
    expect((await stage.say(text, changes)).texts).toEqual([expect.stringContaining(answer)]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });
});
