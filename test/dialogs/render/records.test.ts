import { expect, it } from 'vitest';
import { startLookups } from '../../../dialogs/lookup/device-lookups.ts';
import { renderAnswer, roomText } from '../../../dialogs/render/answer.ts';
import { readDeviceAddress } from '../../../src/domain/device-address.ts';
import { readAttempts, readSessionOutcome } from '../../../src/nac/reading/session.ts';
import { NOW, READER } from '../outcomes.ts';
import records from './records.json' with { type: 'json' };

type Case = Partial<Record<'address' | 'authStatus' | 'never', string>> &
  Record<'id' | 'kind' | 'expected' | 'says' | 'ask' | 'body', string> & {
    status: number;
    headers?: Record<string, string>;
  };

it.each<Case>(records.cases)('$kind, $id: $expected', async (row) => {
  const { ask: by, address: given, says, never, headers: extra = {}, ...wire } = row;
  const address = given ?? '00:1B:54:7C:21:0D';
  const fill = (text: string) => filled(text, by === 'mac' ? address : '00:1B:54:7C:21:0D', address);
  const headers = Object.fromEntries(Object.entries(extra).map(([name, text]) => [name, fill(text)]));
  const answer = { kind: 'answered', status: wire.status, headers, text: fill(wire.body) } as const;
  const lookUp = async () => readSessionOutcome(answer) as never;
  const answers = await startLookups(readDeviceAddress(address), 'alex', lookUp).finished;
  const attempts = wire.authStatus && readAttempts(fill(wire.authStatus));
  const explained = answers.map((each) => ({ ...each, ...(attempts && { attempts }) }));
  const { text } = renderAnswer(explained, READER);
  const said = `${text}\n\n${roomText(answers)}`;
  expect(said).toMatch(new RegExp(says));
  if (never) expect(said).not.toMatch(new RegExp(never));
});

function filled(text: string, mac: string, ip: string): string {
  const ago = (_: string, count: string, unit: string) =>
    new Date(NOW - Number(count) * (unit === 'm' ? 60_000 : 1000)).toISOString();
  return text
    .replaceAll('{{MAC}}', mac)
    .replaceAll('{{mac-}}', mac.toLowerCase().replaceAll(':', '-'))
    .replaceAll('{{mac}}', mac.toLowerCase().replaceAll(':', ''))
    .replaceAll('{{IP}}', ip)
    .replace(/\{\{-(\d+)([ms])\}\}/g, ago);
}
