import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { inThread } from './cards.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** A reply in a chat as Teams delivers it: the quoted message, and the typed text below. */
const html = (kind: 'Reply' | 'Forward', quoted: string, typed: string) => ({
  contentType: 'text/html',
  content: `<blockquote itemscope="" itemtype="http://schema.skype.com/${kind}" itemid="1795254026660">\r\n<strong itemprop="mri" itemid="8:orgid:1b540000-0000-4000-8000-00000000aabb">Megan</strong><span itemprop="time" itemid="1795254026660"></span>\r\n<p itemprop="preview">${quoted}</p>\r\n</blockquote>\r\n<p>${typed}</p>`,
});

const reference = (messagePreview: string) => ({
  contentType: 'messageReference',
  content: JSON.stringify({
    messageId: '1795254026660',
    messagePreview,
    messageSender: {
      user: {
        userIdentityType: 'aadUser',
        id: '1b540000-0000-4000-8000-00000000aabb',
        displayName: 'Megan',
      },
    },
  }),
});

const preview = (text: string) => ({
  type: 'quotedReply',
  quotedReply: { messageId: '1795254026660', senderId: '8:orgid:megan', preview: text },
});

describe('a message that quotes another', () => {
  it.each([
    [
      'a reply',
      'what is this?',
      { attachments: [html('Reply', 'down: 00:1B:54:00:00:03', 'what is this?')] },
    ],
    [
      'an address that is formatted inside',
      'lookup',
      { attachments: [html('Reply', '<b>00:1B:54</b>:00:00:03&nbsp;is&nbsp;down', 'lookup')] },
    ],
    ['a forward without a word', '', { attachments: [html('Forward', 'down: 001b.5400.0003', '')] }],
    ['a reference to a message', 'and this?', { attachments: [reference('00-1B-54-00-00-03 is down')] }],
    ['a preview', 'and this?', { entities: [preview('00:1B:54:00:00:03 is down')] }],
  ])('is answered for the quoted device: %s', async (_, text, changes) => {
    const calls = stage.sandbox.nacCalls.length;
    const { texts } = await stage.say(text, changes);
    expect(texts).toEqual([expect.stringMatching(/^rejected\. .*00:1B:54:00:00:03$/m)]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls + 1);
  });

  it('is offered, not looked up, if the words above it ask nothing', async () => {
    const calls = stage.sandbox.nacCalls.length;
    const attachments = [html('Reply', 'down: 00:1B:54:00:00:03', 'thanks, fixed')];
    const { texts, replies } = await stage.say('thanks, fixed', { attachments });
    expect(texts).toEqual([expect.stringContaining('Here is one: 00:1B:54:00:00:03.')]);
    expect(JSON.stringify(replies)).toContain('"text":"00:1B:54:00:00:03"');
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });

  it.each<[string, object[]]>([
    [
      'a card',
      [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { body: [{ text: '00:1B:54:00:00:03' }] },
        },
      ],
    ],
    [
      'a code snippet',
      [
        {
          contentType: 'application/vnd.microsoft.card.codesnippet',
          content: '{"code":"00:1B:54:00:00:03"}',
        },
      ],
    ],
    [
      'a table',
      [{ contentType: 'text/html', content: '<table><tr><td>00:1B:54:00:00:03</td></tr></table>' }],
    ],
  ])('is answered for what it holds beside an empty text: %s', async (_, attachments) => {
    expect((await stage.say('', { attachments })).texts).toEqual([expect.stringContaining('rejected.')]);
  });

  it('is told what the bot cannot see, if it holds nothing else', async () => {
    const attachments = [{ contentType: 'image/*', contentUrl: 'https://chat.example/views/original' }];
    expect((await stage.say('', { attachments })).texts).toEqual([
      'I cannot see what is in a picture. Please send me the MAC address as text.',
    ]);
  });

  it('is answered in a thread too, if the bot is mentioned', async () => {
    const where = inThread('19:noc@thread.tacv2;messageid=1');
    const mentioning = { ...where, attachments: [html('Reply', 'down: 00:1B:54:00:00:03', 'which is it?')] };
    const { texts } = await stage.say('<at>NAC lookup</at> which is it?', mentioning);
    expect(texts).toEqual([expect.stringContaining('rejected.')]);
  });

  it('is answered for a typed device, if there is one', async () => {
    const attachments = [html('Reply', 'down: 00:1B:54:00:00:03', 'and AA:BB:CC:DD:EE:FF?')];
    const { texts } = await stage.say('and AA:BB:CC:DD:EE:FF?', { attachments });
    expect(texts).toEqual([expect.stringMatching(/^connected\. .*AA:BB:CC:DD:EE:FF$/m)]);
  });

  it('is the typed command, if there is one', async () => {
    const attachments = [html('Reply', 'down: 00:1B:54:00:00:03', 'help')];
    expect((await stage.say('help', { attachments })).texts).toEqual([expect.stringContaining('Commands:')]);
  });

  it.each([
    ['HTML that quotes nothing', [{ contentType: 'text/html', content: '<p>00:1B:54:00:00:03</p>' }]],
    ['a file', [{ contentType: 'application/octet-stream', content: '00:1B:54:00:00:03' }]],
    [
      'attachments of another shape',
      [null, 5, { contentType: 7 }, { contentType: 'text/html', content: {} }],
    ],
    ['no list of attachments', 'x'],
  ])('quotes nothing: %s', async (_, attachments) => {
    const calls = stage.sandbox.nacCalls.length;
    const { status, texts } = await stage.say('what is this?', { attachments });
    expect({ status, texts }).toEqual({
      status: 200,
      texts: [expect.stringMatching(/^I don't know that command/)],
    });
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });
});
