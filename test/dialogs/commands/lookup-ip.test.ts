import { describe, expect, it } from 'vitest';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { linesOf, only } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf } from '../cards.ts';
import { STOP } from '../outcomes.ts';

const TEXT = { channelId: 'sms' };
const IP = '198.51.100.23';
const IPV6 = '2001:db8::23';
const DEVICE = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const SESSION = sessionXml({ calling_station_id: '00-1b-54-00-00-07' });
const ALONE = ' with this IP address. It may know the device by its MAC address alone, so try that.';

describe('a lookup by IP address', () => {
  it("names both addresses, and posts the device's own alone", async () => {
    const bot = await startBot({ nac: { [IPV6]: SESSION } });
    const text = await bot.ask(`lookup [${IPV6}]:443`, TEXT);
    expect(text).toMatch(/^`00:1B:54:00:00:07` at `2001:db8::23`: connected\. {2}\n/);
    expect(text).toContain('Maker: `Cisco Systems, Inc`');
    expect(bot.posts()).toEqual([expect.stringMatching(`^${DEVICE} connected, `)]);
    const card = only((await bot.say(`lookup ${IPV6}`)).replies);
    expect(card.activity.summary).toMatch(/^connected\. alex, .*, 00:1B:54:00:00:07 at 2001:db8::23$/m);
    const pressed = buttonsOf(card).map(({ data }) => `${data.dialog} ${data.text}`);
    expect(pressed).toEqual([`lookup ${IPV6}`, `fields ${DEVICE}`]);
  });

  it.each(['203.0.113.7', '', 'AA:BB:CC:DD:EE:FF 00:1B:54:00:00:07', 'FF:FF:FF:FF:FF:FF'])(
    'stands for itself if the record names no MAC address, but "%s"',
    async (calling_station_id) => {
      const bot = await startBot({ nac: { [IP]: sessionXml({ calling_station_id }) } });
      const card = only((await bot.say(`lookup ${IP}`)).replies);
      expect(linesOf(card).slice(0, 2)).toEqual(['Connected', IP]);
      expect(linesOf(card).join()).not.toContain('Maker');
      expect(buttonsOf(card).map(({ data }) => data.text)).toEqual([IP, IP]);
    },
  );

  it.each<[string, string | undefined, string]>([
    ['no session', undefined, ALONE],
    ['an end', sessionXml({ calling_station_id: DEVICE, ...STOP }), ' may have this IP address by now.'],
  ])('says what %s means of an IP address alone', async (_, answer, hint) => {
    const bot = await startBot({ at: '2026-01-15T14:05:00Z', nac: { [IP]: answer, [DEVICE]: answer } });
    expect(await bot.ask(`lookup ${IP}`, TEXT)).toContain(hint);
    expect(await bot.ask(`lookup ${DEVICE}`, TEXT)).not.toContain(hint);
  });

  it('is stored as it was asked while the NAC is down, and asked so again', async () => {
    let isDown = true;
    const nac = (address: string) => (isDown ? 0 : address === IP ? SESSION : undefined);
    const bot = await startBot({ nac });
    await bot.say(`lookup ${IP}, ${OTHER}`, TEXT);
    isDown = false;
    await bot.clock.skip(10_000);
    const [, later] = await bot.replied(2);
    expect(later).toContain(`\`${DEVICE}\` at \`${IP}\``);
    const asked = bot.calls.slice(-2).map(({ path }) => path.split('/').slice(-2).join(' '));
    expect(asked.toSorted()).toEqual([`EndPointIPAddress ${IP}`, `MACAddress ${OTHER}`]);
  });
});

describe('several addresses of both kinds', () => {
  it('are asked for again as they were, each by a tap', async () => {
    const bot = await startBot({ nac: { [IP]: SESSION, [OTHER]: SESSION } });
    const card = only((await bot.say(`lookup ${OTHER}, ${IP} and ${IPV6}`)).replies);
    expect(card.activity.summary).toMatch(/^3 devices: 1 no session, 2 connected\./);
    expect(linesOf(card).join()).toContain(`${DEVICE} at ${IP}`);
    const texts = buttonsOf(card).map(({ data }) => data.text);
    expect(texts).toEqual([IPV6, `${OTHER} ${IP} ${IPV6}`]);
  });

  it('of one device are answered and posted once', async () => {
    const bot = await startBot({ nac: { [IP]: SESSION, [DEVICE]: SESSION } });
    const text = await bot.ask(`lookup ${DEVICE} ${IP}`, TEXT);
    expect(text).toMatch(/^`00:1B:54:00:00:07` at `198\.51\.100\.23`: connected\./);
    expect(bot.posts()[0]?.match(/00:1B/g)).toHaveLength(1);
  });
});
