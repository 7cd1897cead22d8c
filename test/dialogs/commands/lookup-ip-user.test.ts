import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/sandbox/chat.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { linesOf, only, TEXT } from '../../replies.ts';
import { type Bot, startBot } from '../../start-bot.ts';
import { buttonsOf } from '../cards.ts';
import { STOP } from '../outcomes.ts';

const IP = '198.51.100.23';
const IPV6 = '2001:db8::23';
const DEVICE = '00:1B:54:00:00:07';
const SESSION = sessionXml({ calling_station_id: '00-1b-54-00-00-07' });

it("a lookup by IP address names both, and posts the device's own", async () => {
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

it('two addresses of one device are answered and posted once', async () => {
  const bot = await startBot({ nac: { [IP]: SESSION, [DEVICE]: SESSION } });
  const text = await bot.ask(`lookup ${DEVICE} ${IP}`, TEXT);
  expect(text).toMatch(/^`00:1B:54:00:00:07` at `198\.51\.100\.23`: connected\./);
  expect(bot.posts()[0]?.match(/00:1B/g)).toHaveLength(1);
});

it.each(['203.0.113.7', '', 'AA:BB:CC:DD:EE:FF 00:1B:54:00:00:07', 'FF:FF:FF:FF:FF:FF'])(
  'an IP address whose record has "%s" stands for itself',
  async (calling_station_id) => {
    const bot = await startBot({ nac: { [IP]: sessionXml({ calling_station_id }) } });
    const card = only((await bot.say(`lookup ${IP}`)).replies);
    expect(linesOf(card).slice(0, 2)).toEqual(['Connected', IP]);
    expect(linesOf(card).join()).not.toContain('Maker');
    expect(buttonsOf(card).map(({ data }) => data.text)).toEqual([IP, IP]);
  },
);

it.each<[string, string | undefined, string]>([
  ['no session', undefined, '. It may know the device by its MAC address alone, so try that.'],
  ['an end', sessionXml({ calling_station_id: DEVICE, ...STOP }), ' may have this IP address by now.'],
])('a lookup by IP address says what %s means', async (_, answer, hint) => {
  const bot = await startBot({ at: '2026-01-15T14:05:00Z', nac: { [IP]: answer, [DEVICE]: answer } });
  expect(await bot.ask(`lookup ${IP}`, TEXT)).toContain(hint);
  expect(await bot.ask(`lookup ${DEVICE}`, TEXT)).not.toContain(hint);
});

const ALEX = sessionXml({ calling_station_id: DEVICE, selected_azn_profiles: 'Corp_Access', other: {} });
const LATEST = "This is the user's latest session only.";
const PATH = '/admin/API/mnt/Session/UserName/alex';

const ALLOWED = { settings: { LOOKUP_BY_USER: '1' }, nac: { alex: ALEX } };
const pathsOf = ({ calls }: Bot) => calls.map(({ path }) => path);

describe('a lookup by user', () => {
  it("names the device's own address and the user, and posts the tokens once", async () => {
    const bot = await startBot(ALLOWED);
    const text = await bot.ask('lookup user alex', TEXT);
    expect(text).toMatch(/^`00:1B:54:00:00:07` of `user alex`: connected\./);
    expect(text).toContain(LATEST);
    expect(bot.posts()).toEqual([expect.stringMatching(`^${DEVICE} connected, .*\nCorp_Access$`)]);
    expect(pathsOf(bot)).toEqual([PATH]);
    expect(bot.logged('audit')).toMatchObject([{ asked: 'user alex', address: DEVICE }]);
  });

  it('asks by the user again, for a press and for "again"', async () => {
    const bot = await startBot(ALLOWED);
    const card = only((await bot.say('lookup user alex')).replies);
    const pressed = buttonsOf(card).map(({ data }) => `${data.dialog} ${data.text}`);
    expect(pressed).toEqual(['lookup user alex', `fields ${DEVICE}`]);
    expect(linesOf(card)).toContain(`${DEVICE} of user alex`);
    for (const { replies } of [await bot.press('Look up again'), await bot.say('again')])
      expect(textOf(only(replies))).toContain(LATEST);
    expect(pathsOf(bot)).toEqual([PATH, PATH, PATH]);
  });

  it.each([
    ['lookup user CORP\\alex', 'alex'],
    ['who has user "Ana María"', 'Ana%20Mar%C3%ADa'],
    ['lookup user a/../b?c#d', 'a%2F..%2Fb%3Fc%23d'],
  ])('%s asks for one segment: %s', async (text, name) => {
    const bot = await startBot({ ...ALLOWED, nac: {} });
    expect(await bot.ask(text, TEXT)).toContain('The NAC knows of no current session.');
    expect(pathsOf(bot)).toEqual([`/admin/API/mnt/Session/UserName/${name}`]);
  });

  it.each(['lookup user ..', 'lookup user CORP\\.', 'lookup user CORP\\'])('%s: no call', async (text) => {
    const bot = await startBot(ALLOWED);
    expect(await bot.ask(text)).toMatch(/I look up devices by MAC|Which device\?/);
    await bot.press({ dialog: 'lookup', text: text.slice('lookup '.length) });
    expect([bot.calls, bot.otherCalls]).toEqual([[], []]);
  });

  it('where it is off, refuses messages and forged buttons, and asks nothing', async () => {
    const bot = await startBot({ nac: { alex: ALEX } });
    const asked = await bot.say('lookup user alex');
    const pressed = await bot.press({ dialog: 'lookup', text: 'user alex' });
    for (const { texts } of [asked, pressed])
      expect(texts).toEqual([expect.stringMatching(/^Lookup by user is off; an operator can allow it\./)]);
    await bot.press({ dialog: 'fields', text: 'user alex' });
    expect([bot.calls, bot.otherCalls]).toEqual([[], []]);
  });
});
