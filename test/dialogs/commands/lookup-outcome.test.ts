import { describe, expect, it } from 'vitest';
import { WITHOUT_SESSION } from '../outcomes.ts';
import { REPORT, stageLookup } from './lookup-stage.ts';

const DEVICE = '00:1B:54:00:00:07';

/** The outcomes after which the bot asks again and says so. */
const KEPT = ['a time-out', 'nothing', 'a NAC that is left alone'];

describe('a lookup that finds no session', () => {
  it.each(WITHOUT_SESSION)('says so: %s', async (name, outcome, sentence) => {
    const promise = KEPT.includes(name) ? '\n\nI keep trying for 10 minutes; the answer will come here.' : '';
    const number = name === 'no session' ? '' : `\n\n${REPORT}`;
    expect(await stageLookup({ outcomes: outcome }).ask(`lookup ${DEVICE}`)).toEqual([
      {
        kind: 'said',
        text: `\`${DEVICE}\`: ${sentence}  \nMaker: \`Cisco Systems, Inc\`${promise}${number}`,
        buttons: ['Look up again'],
      },
    ]);
  });

  it.each([
    [
      'zero',
      '00:00:00:00:00:00',
      'all zeros. This address stands for no device, so there is nothing to look up.',
    ],
    [
      'broadcast',
      'FF:FF:FF:FF:FF:FF',
      'the broadcast address. This address stands for all devices, so there is nothing to look up.',
    ],
    [
      'multicast',
      '01:00:5E:00:00:FB',
      'a multicast address. This address stands for a group of devices, so there is nothing to look up.',
    ],
  ])('does not ask the NAC for %s', async (_, address, sentence) => {
    const lookUp = () => Promise.reject(new Error('not asked here'));
    expect(await stageLookup({ lookUp }).ask(`lookup ${address}`)).toEqual([
      { kind: 'said', text: `\`${address}\`: ${sentence}` },
    ]);
  });

  it('says what to do about a private address', async () => {
    expect(await stageLookup().ask('lookup 02:00:5E:00:00:99')).toMatchObject([
      {
        text: "`02:00:5E:00:00:99`: no session. The NAC knows of no current session. Is the device plugged in and awake?  \nThis is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.",
      },
    ]);
  });

  it('posts nothing to the room', async () => {
    const stage = stageLookup();
    await stage.ask(`lookup ${DEVICE}`);
    expect(stage.posts).toEqual([]);
  });

  it.each([502, 503, 504])('is kept if the NAC is down with status %i', async (status) => {
    const stage = stageLookup({ outcomes: { kind: 'fault', status } });
    expect(await stage.ask(`lookup ${DEVICE}`)).toMatchObject([
      {
        text: `\`${DEVICE}\`: the NAC reported a fault (HTTP status ${status}). Please ask those who run the NAC.  \nMaker: \`Cisco Systems, Inc\`\n\nI keep trying for 10 minutes; the answer will come here.\n\n${REPORT}`,
      },
    ]);
    expect(stage.jobs).toMatchObject([{ key: 'message-1 later', job: { addresses: [DEVICE], attempt: 1 } }]);
  });
});
