import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { type Element, linesOf } from './cards.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';
const REJECTED = '00:1B:54:00:00:03';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('the message extension', () => {
  it.each([
    ['a new line', `down\n${REJECTED}`],
    ['a tab', `down\t${REJECTED}`],
  ])('finds an address after %s in a card, as an object or as JSON', async (_, text) => {
    const card = { body: [{ type: 'TextBlock', text }] };
    for (const content of [card, JSON.stringify(card)])
      expect(await verdictOn([{ contentType: CARD, content }])).toBe('Rejected');
  });

  it.each([
    ['a file', { contentType: 'reference', contentUrl: 'https://x.example/a.docx', name: 'a.docx' }],
    ['nothing', null],
  ])('reads a card beside %s', async (_, other) => {
    expect(await verdictOn([other, { contentType: CARD, content: JSON.stringify({ text: REJECTED }) }])).toBe(
      'Rejected',
    );
  });
});

describe('a message', () => {
  it('is understood if it refers to another message with a line end in the preview', async () => {
    const content = JSON.stringify({ messagePreview: `down:\n${REJECTED}` });
    const attachments = [{ contentType: 'messageReference', content }];
    expect((await stage.say('and this?', { attachments })).texts[0]).toContain('rejected');
  });

  it.each(['00:1B:<b>54</b>:00:00:03', '00:1B:<strong>54</strong>:00:00:03'])(
    'is understood with formatting inside an address: %s',
    async (text) => {
      expect((await stage.say(text)).texts[0]).toContain('rejected');
    },
  );

  it('gets only the HTTP answer if it expects its replies there', async () => {
    const { body } = await stage.say('00:1B:54:00:00:05 AA:BB:CC:DD:EE:FF', {
      deliveryMode: 'expectReplies',
    });
    const { activities } = body as { activities: Array<{ type: string }> };
    expect(activities.map(({ type }) => type)).toEqual(['message']);
  });
});

/** The heading of the extension's card for a message with only these attachments. */
async function verdictOn(attachments: unknown[]): Promise<string | undefined> {
  const value = { messagePayload: { body: { contentType: 'html', content: '' }, attachments } };
  const { status, body } = await stage.say('', {
    type: 'invoke',
    text: undefined,
    name: 'composeExtension/fetchTask',
    value,
  });
  expect(status).toBe(200);
  return linesOf((body as { task: { value: { card: { content: Element } } } }).task.value.card.content)[0];
}
