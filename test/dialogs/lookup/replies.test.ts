import { expect, it } from 'vitest';
import * as texts from '../../../dialogs/lookup/replies.ts';
import { notesOn } from '../../../dialogs/route.ts';
import { type DeviceAddress, readAddresses } from '../../../src/domain/device-address.ts';
import { TEXT } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf } from '../cards.ts';

const macs = (count: number) =>
  Array.from({ length: count }, (_, index) => `00:1B:54:00:01:${10 + index}` as DeviceAddress);
const [ONE = '', TWO = ''] = macs(2);

it.each<[all: DeviceAddress[], command: 'lookup' | 'fields', text: string, titles: string[]]>([
  [macs(1), 'lookup', `Did you mean \`${ONE}\`?`, [`lookup ${ONE}`]],
  [macs(2), 'fields', `Did you mean \`${ONE}\` or \`${TWO}\`?`, [`fields ${ONE}`, `fields ${TWO}`]],
  [macs(6), 'lookup', 'Did you mean these 6 addresses?', ['Look up the 6 addresses']],
  [macs(21), 'lookup', 'Did you mean these 21 addresses?', ['Look up the first 20 of 21 addresses']],
])('"Did you mean" offers %j with buttons for %s', (all, command, text, titles) => {
  const message = texts.didYouMean(all, command);
  expect(message.text).toBe(text);
  expect(buttonsOf(message).map(({ title }) => title)).toEqual(titles);
  const asked = buttonsOf(message).map(({ data }) => data.text);
  expect(asked.join(' ')).toBe(all.slice(0, 20).join(' '));
});

it('a button cannot hold all that one message has', () => {
  const message = texts.offerRest(Array(225).fill(ONE));
  expect(message.text).toBe('That message holds 225 addresses. I look up the first 20.');
  expect(buttonsOf(message).map(({ title }) => title)).toEqual(['Look up 200 more']);
});

it('a command without a device has one sentence', () => {
  const question = 'Which device? Give me its MAC address, in any spelling, or its IP address.';
  expect(texts.which('fields').text).toBe(`${question}\n\nFor example: \`fields AA:BB:CC:DD:EE:FF\``);
});

it('one note names everything that was not looked up', () => {
  const text = `lookup ${ONE} on AP ${TWO}, 0000.0c07.ac01, 00:1B:54:OO:OO:O8, 00:1B:54:00:00 and id 1234567890`;
  expect(notesOn(readAddresses(text, 'asked'))).toEqual([
    `I did not look up ${TWO} (an access point, switch or virtual gateway), 00:00:0C:07:AC:01 (an access point, switch or virtual gateway), 00:1B:54:00:00:08 (perhaps an address), 00:1B:54:00:00 (no whole address). If you mean one, send it alone.`,
  ]);
  const gateway = 'I did not look up 00:00:0C:07:AC:01 (an access point, switch or virtual gateway).';
  expect(notesOn(readAddresses('lookup 0000.0c07.ac01', 'asked'))).toEqual([gateway]);
  expect(notesOn(readAddresses(`lookup ${ONE}`, 'asked'))).toEqual([]);
});

it('asks no NAC about an address of no single device', async () => {
  const bot = await startBot();
  const rest = 'Give me the address of one device.';
  const why =
    'This address stands for none, for all or for a group of devices, so there is nothing to look up.';
  for (const typed of ['FF:FF:FF:FF:FF:FF', '::1'])
    expect(await bot.ask(`lookup ${typed}`, TEXT)).toBe(`\`${typed}\`: not one device. ${why} ${rest}`);
  expect(bot.calls).toEqual([]);
});
