import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from '../stage.ts';

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
const table = { contentType: 'text/html', content: `<table><td>${REJECTED}</td></table>` };
const preview = { type: 'quotedReply', quotedReply: { messageId: '1', preview: `${REJECTED} is down` } };
const picture = { contentType: 'image/*', contentUrl: 'https://chat.example/views/original' };

it.each<[string, Record<string, unknown>, number, string]>([
  ['what is this?', quoting(`down: <b>00:1B:54</b>:00:00:03&nbsp;`, 'what is this?'), 1, 'rejected.'],
  ['and this?', { entities: [preview] }, 1, 'rejected.'],
  ['', { attachments: [table] }, 1, 'rejected.'],
  ['thanks, fixed', quoting(`down: ${REJECTED}`, 'thanks, fixed'), 0, `Here is one: ${REJECTED}.`],
  ['', { attachments: [picture] }, 0, 'I cannot see what is in a picture. Please send me the MAC address'],
  ['what is this?', { attachments: [null, 5, { contentType: 7 }] }, 0, "I don't know that command"],
])(
  '"%s" beside what is quoted or attached is answered for its device',
  async (text, beside, calls, answer) => {
    const before = stage.sandbox.nacCalls.length;
    expect((await stage.say(text, beside)).texts).toEqual([expect.stringContaining(answer)]);
    expect(stage.sandbox.nacCalls).toHaveLength(before + calls);
  },
);
