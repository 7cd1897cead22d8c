import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openReadyStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread } from './cards.ts';

const DEVICE = 'AA:BB:CC:DD:EE:FF';
const OPEN = { title: 'Open in the NAC', url: `https://nac.example.com/endpoint?mac=${DEVICE}` };

describe('with NAC_LINK, the card of one device has a button to its page', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openReadyStage({
      NAC_LINK: 'https://nac.example.com/endpoint?mac={mac}',
      ALERTS_TOKEN: 'token-for-alerts',
    });
  });
  afterAll(() => stage.close());

  it.each([`lookup ${DEVICE}`, `fields ${DEVICE}`])('after "%s"', async (text) => {
    const { replies } = await stage.say(text);
    expect(replies.flatMap((reply) => buttonsOf(cardOf(reply)))).toContainEqual(
      expect.objectContaining(OPEN),
    );
  });

  it('in the window of "Look up devices"', async () => {
    const { body } = await stage.say('', {
      type: 'invoke',
      text: undefined,
      name: 'composeExtension/fetchTask',
      value: {
        commandId: 'lookUp',
        commandContext: 'message',
        messagePayload: { id: '1', messageType: 'message', body: { contentType: 'text', content: DEVICE } },
      },
    });
    expect(JSON.stringify(body)).toContain(OPEN.url);
  });

  it("in an alert's thread", async () => {
    await stage.say('<at>NAC lookup</at> alerts here as noc', inThread('19:noc@thread.tacv2;messageid=1'));
    const before = stage.replies.length;
    const { status } = await fetch(`${stage.bot.url}/api/alerts/noc`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-for-alerts', 'content-type': 'application/json' },
      body: JSON.stringify({ text: `port down, ${DEVICE}` }),
    });
    expect(status).toBe(202);
    await vi.waitFor(
      () =>
        expect(JSON.stringify(stage.replies.slice(before).map(({ activity }) => activity))).toContain(
          OPEN.url,
        ),
      20_000,
    );
  });
});
