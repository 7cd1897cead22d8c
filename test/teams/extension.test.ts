import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { readerFor } from '../../dialogs/format/words.ts';
import { createOnExtension } from '../../src/teams/extension.ts';
import { activityOf, handle } from './handle.ts';

const CARD = { type: 'AdaptiveCard', version: '1.5', body: [] };
const card = { contentType: 'application/vnd.microsoft.card.adaptive', content: CARD };
const FETCH = 'composeExtension/fetchTask';
const SUBMIT = 'composeExtension/submitAction';

/** What is answered to an invoke, and the texts that the extension was asked with. */
async function ask(name: string | undefined, value: unknown, isAllowed = true) {
  const conversation = { id: 'chat;messageid=1' };
  const asked: Array<[text: string, unseen: readonly string[], isForFields: boolean]> = [];
  const reader = readerFor({}, Date);
  const onExtension = createOnExtension({
    async extension({ text, unseen, isForFields, ...rest }) {
      expect(rest).toEqual({
        isCut: false,
        person: 'megan',
        place: expect.objectContaining({ reference: expect.objectContaining({ conversation }) }),
        key: '["chat;messageid=1","message-1"]',
        arrivedAt: 0,
        reader,
      });
      asked.push([text, unseen, isForFields]);
      return CARD;
    },
    readerOf: () => reader,
    limits: { takeMessage: () => 0 },
    permissions: { allow: async () => isAllowed },
    log: pino({ level: 'silent' }),
  });
  const answer = await handle(activityOf({ type: 'invoke', name, value, conversation }), { onExtension });
  return { answer, asked };
}

const chosen = (content: unknown, attachments?: unknown) => ({
  messagePayload: { body: { contentType: 'html', content }, attachments },
});

const titled = (subject: unknown) => ({ messagePayload: { subject, body: { content: '<p>CC</p>' } } });

describe('an invoke of the message extension', () => {
  it.each([
    ['the words of the message', chosen('<p>is&nbsp;<b>AA</b>:BB in?</p>'), 'is AA:BB in?'],
    ['its cards', chosen('', [{ content: '{"text":"AA:BB"}' }]), 'AA:BB'],
    ['cards that are objects', chosen('', [{ content: { text: 'AA:BB' } }]), 'AA:BB'],
    ['attachments that are no list', chosen('AA', 5), 'AA'],
    ['a body of another shape', chosen({ html: 'AA' }), ''],
    ['the subject', titled('AA:BB is down'), 'AA:BB is down\nCC'],
    ['a subject of another shape', titled(null), 'CC'],
    ['its links', chosen('<a href="https://x/AA%3ABB">the NAC</a>'), 'the NAC\nhttps://x/AA:BB'],
    ['no body', { messagePayload: {} }, ''],
    ['what a button sends', { data: { dialog: 'lookup', text: 'AA:BB' }, ...chosen('CC') }, 'AA:BB'],
  ])('asks with %s', async (_, value, text) => {
    expect((await ask(FETCH, value)).asked).toEqual([[text, [], false]]);
  });

  it('tells what cannot be seen, and which button was pressed', async () => {
    const attachments = [
      null,
      { contentType: 'reference', contentUrl: 'https://x.example/a', name: 'a' },
      { contentType: 'image/*' },
    ];
    expect((await ask(FETCH, chosen('', attachments))).asked).toEqual([['', ['file', 'picture'], false]]);
    const press = (dialog: string) => ({ data: { dialog, text: 'AA:BB' } });
    expect((await ask(SUBMIT, press('fields'))).asked).toEqual([['AA:BB', [], true]]);
    expect((await ask(SUBMIT, press('lookup'))).asked).toEqual([['AA:BB', [], false]]);
  });

  const value = { title: 'Look up devices', height: 'medium', width: 'medium', card };
  const WINDOW = { task: { type: 'continue', value } };
  const MESSAGE = { composeExtension: { type: 'result', attachmentLayout: 'list', attachments: [card] } };
  it.each([
    ['the command is chosen', 'a window', FETCH, chosen('AA'), WINDOW],
    ['a button is pressed', 'a window', SUBMIT, { ...chosen('AA'), data: { text: 'AA' } }, WINDOW],
    ['a command is sent without a window', 'the conversation', SUBMIT, chosen('AA'), MESSAGE],
  ])('when %s shows its card in %s', async (_, _where, name, sent, body) => {
    expect((await ask(name, sent)).answer).toEqual({ status: 200, body });
  });

  it('is refused with a value of another shape, and nobody is asked', async () => {
    const shapes = [undefined, null, 5, 'AA', [], {}, { data: {} }, { data: { text: 5 } }];
    for (const value of [...shapes, { messagePayload: 'AA' }])
      for (const name of [FETCH, SUBMIT])
        expect(await ask(name, value)).toMatchObject({ answer: { status: 400 }, asked: [] });
  });

  it.each([
    ...['composeExtension/query', 'task/fetch', 'fileConsent/invoke', 'adaptiveCard/action'],
    ...['', undefined],
  ])('is not %j, whatever its value', async (name) => {
    for (const value of [chosen('AA'), {}, null, undefined])
      expect(await ask(name, value)).toEqual({ answer: { status: 501 }, asked: [] });
  });
});

it('a person who may not ask is told so in the window', async () => {
  const value = expect.stringMatching(/^Sorry, I may not answer you here\..* your id is megan\.$/);
  const answer = { status: 200, body: { task: { type: 'message', value } } };
  expect(await ask(FETCH, chosen('AA'), false)).toEqual({ answer, asked: [] });
});
