import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, pressing } from './cards.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const CONNECTED = 'AA:BB:CC:DD:EE:FF';
const REJECTED = '00:1B:54:00:00:03';
const NO_SESSION = '00:1B:54:00:99:99';

/** A new personal chat. */
const chatOf = (name: string) => ({
  conversation: { id: `a:${name}`, conversationType: 'personal', tenantId: 'sandbox-tenant' },
});

async function lookUp(where: Record<string, unknown>, ...addresses: string[]): Promise<void> {
  for (const address of addresses) await stage.say(`lookup ${address}`, where);
}

async function recentIn(where: Record<string, unknown>): Promise<string[]> {
  const { texts } = await stage.say('recent', where);
  return texts.join('\n').split('\n').slice(1);
}

describe('recent', () => {
  it('lists the last lookups, newest first and each device once', async () => {
    const here = chatOf('megan');
    await lookUp(here, CONNECTED, REJECTED, NO_SESSION);
    expect(await recentIn(here)).toEqual([
      `${NO_SESSION}: no session`,
      `${REJECTED}: rejected`,
      `${CONNECTED}: connected`,
    ]);
    await lookUp(here, CONNECTED);
    expect(await recentIn(here)).toEqual([
      `${CONNECTED}: connected`,
      `${NO_SESSION}: no session`,
      `${REJECTED}: rejected`,
    ]);
  });

  it('has a button for each, which looks the device up again in the same place', async () => {
    const here = chatOf('patti');
    await lookUp(here, CONNECTED, REJECTED);
    const { replies } = await stage.say('recent', here);
    const [list] = replies;
    if (!list) throw new Error('no list');
    const buttons = buttonsOf(cardOf(list));
    expect(buttons.map(({ title }) => title)).toEqual([`${REJECTED}: rejected`, `${CONNECTED}: connected`]);
    for (const [index, verdict] of [
      [0, 'Rejected'],
      [1, 'Connected'],
    ] as const) {
      const calls = stage.sandbox.nacCalls.length;
      const press = pressing(buttons[index], list.id);
      const [answer] = (await stage.say('', { ...here, ...press })).replies;
      if (!answer) throw new Error('no answer');
      expect(answer).toMatchObject({ conversationId: here.conversation.id, replyToId: press.id });
      expect(linesOf(cardOf(answer))[0]).toBe(verdict);
      expect(stage.sandbox.nacCalls).toHaveLength(calls + 1);
    }
  });

  it('is one list for all threads of a channel', async () => {
    await lookUp(inThread('19:noc@thread.tacv2;messageid=1'), CONNECTED);
    await lookUp(inThread('19:noc@thread.tacv2;messageid=2'), REJECTED);
    await lookUp(inThread('19:lab@thread.tacv2;messageid=1'), NO_SESSION);
    expect(await recentIn(inThread('19:noc@thread.tacv2;messageid=3'))).toEqual([
      `${REJECTED}: rejected`,
      `${CONNECTED}: connected`,
    ]);
  });
});
