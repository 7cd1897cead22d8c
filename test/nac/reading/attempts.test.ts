import { describe, expect, it } from 'vitest';
import { turnOf } from '../../../src/domain/session.ts';
import { readAttempts } from '../../../src/nac/reading/session.ts';
import { attemptsXml } from '../../../src/sandbox/session-xml.ts';

describe('the attempts of a device', () => {
  const AT = '<passed>1</passed><acs_timestamp>';

  const where = { networkDevice: 'sw-1', port: 'Gi1/0/15', user: 'alex' };
  const WHERE =
    '<network_device_name>sw-1</network_device_name><nas_port_id>Gi1/0/15</nas_port_id><user_name>alex</user_name>';
  const WRONG = '<failure_reason>22040 Wrong &amp; old</failure_reason>';

  it.each<[elements: string, attempts: object[]]>([
    [`<passed>0</passed>${WHERE}${WRONG}`, [{ ...where, failureReason: '22040 Wrong & old' }]],
    ['<passed>1</passed><selected_azn_profiles>A</selected_azn_profiles>', [{ authorizationProfiles: 'A' }]],
    ['<failed xmlns:xs="x" xs:type="y">false</failed>', [{ passed: true }]],
    ['<passed>perhaps</passed>', []],
    ['<passed>0</passed><user_name>INVALID</user_name>', [{ user: undefined }]],
    ['<passed>0</passed><execution_steps>1,22056</execution_steps>', [{ steps: ['1', '22056'] }]],
    // A change of authorization, or a login at a portal.
    ...[5205, 5417, 5231].map((code): [string, object[]] => [
      `<passed>1</passed><message_code>${code}</message_code>`,
      [],
    ]),
    ['', []],
    [`${AT}2026-04-29T11:00:00+03:00</acs_timestamp>`, [{ lastSignAt: Date.UTC(2026, 3, 29, 8) }]],
    [`${AT}yesterday</acs_timestamp>`, [{ lastSignAt: undefined }]],
    ['<passed>1</passed><authStatusElements><passed>0</passed>', [{ passed: true }, { passed: false }]],
  ])('with the elements %s are %j', (elements, attempts) =>
    expect(readAttempts(list(elements))).toMatchObject(attempts),
  );

  it.each([attemptsXml('AA:BB:CC:DD:EE:FF', []), '<authStatusOutputList/>'])('are none in "%s"', (xml) =>
    expect(readAttempts(xml)).toEqual([]),
  );

  it.each(['restAuthStatusOutputList', 'authStatus'])('are read under the root %s, too', (root) =>
    expect(readAttempts(list('<passed>1</passed>').replaceAll('authStatusOutputList', root))).toHaveLength(1),
  );

  it.each(['', '<html/>', '<authStatusOutputList>'])('are unknown in "%s"', (xml) =>
    expect(readAttempts(xml)).toBeUndefined(),
  );

  it('are at most twenty, however many the NAC sends', () =>
    expect(readAttempts(list('<passed>1</passed>').repeat(50))).toHaveLength(20));
});

function list(elements: string): string {
  return `<authStatusOutputList><authStatusElements>${elements}</authStatusElements></authStatusOutputList>`;
}

it.each(['Z', ''])('attempts are listed newest first, those without a time last: zone "%s"', (zone) => {
  const day = (number: number) =>
    `<passed>${number % 2}</passed><nas_port_id>${number}</nas_port_id><acs_timestamp>2026-04-0${number}T08:00:00${zone}</acs_timestamp>`;
  const xml = ['<passed>1</passed><user_name>untimed</user_name>', day(1), day(3), day(2)].map(list).join('');
  expect(readAttempts(xml)?.map(({ port, user }) => user ?? port)).toEqual(['3', '2', '1', 'untimed']);
});

describe('what changed since a device last worked', () => {
  const EAST = { networkDevice: 'sw-east-2', port: 'Gi1/0/3', node: 'nac-1', method: 'dot1x', user: 'lee' };
  const QUAY = { ...EAST, networkDevice: 'sw-quay-8', port: 'Gi1/0/44' };
  const worked = { passed: true, ...EAST, certificate: '4a 01' };

  it.each<[failed: object, changed: string[]]>([
    [EAST, []],
    [QUAY, ['place']],
    [{ ...EAST, port: 'Gi1/0/4' }, ['place']],
    [{ ...EAST, method: 'mab', user: '00-1B-54-00-00-21' }, ['method', 'user']],
    [{ ...EAST, certificate: '4a 02' }, ['certificate']],
    [{ ...EAST, node: 'nac-2' }, ['node']],
    [{ networkDevice: 'sw-east-2' }, []], // What the NAC did not say has not changed.
    [{ networkDevice: '192.0.2.7', networkAddress: '192.0.2.7' }, []], // A name and an address.
    [{ networkDevice: 'SW-east-2.net.example', port: 'GigabitEthernet1/0/3', method: 'DOT1X' }, []], // Other spellings.
  ])('after %j is %j', (failed, changed) =>
    expect(turnOf([{ passed: false, ...failed }, worked])?.changed).toEqual(changed),
  );

  it('compares no IPv4 address with one of IPv6', () => {
    const at = (passed: boolean, networkAddress: string) => ({ ...EAST, passed, networkAddress });
    expect(turnOf([at(false, '2001:db8::9'), at(true, '192.0.2.9')])?.changed).toEqual([]);
  });

  it('compares Wi-Fi by its name, not by its port', () => {
    const on = (passed: boolean, ssid: string, port = 'capwap') => ({
      ...EAST,
      passed,
      port,
      wifi: { ssid },
    });
    expect(turnOf([on(false, 'Crew', 'capwap_4'), on(true, 'Crew')])?.changed).toEqual([]);
    expect(turnOf([on(false, 'Guest'), on(true, 'Crew')])?.changed).toEqual(['place']);
  });

  it('compares with the first failure after it, not with the newest', () => {
    const first = { passed: false, ...QUAY };
    const turn = turnOf([{ passed: false, ...EAST }, first, worked]);
    expect(turn).toMatchObject({ failed: first, passed: worked });
  });

  it.each([[[]], [[worked, { passed: false, ...QUAY }]], [[{ passed: false, ...QUAY }]]])(
    'is nothing in %j',
    (attempts) => expect(turnOf(attempts)).toBeUndefined(),
  );
});
