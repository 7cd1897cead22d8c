import { describe, expect, it } from 'vitest';
import { buttonsOf } from '../cards.ts';
import { press } from '../talk.ts';
import { DOWN, found, NOW, stageLookup } from './lookup-stage.ts';

const IP = '198.51.100.23';
const IPV6 = '2001:db8::23';
const DEVICE = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const SESSION = found({ calling_station_id: '00-1b-54-00-00-07' });
const STOP = { acct_status_type: 'Stop', acct_acs_timestamp: '2026-01-15T13:05:00.000Z' };

describe('a lookup by IP address', () => {
  it("names the device's own address beside the IP address, and posts the own address alone", async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION } });
    const message = await stage.answer(`lookup ${IP}`);
    expect(message.text).toMatch(/^`00:1B:54:00:00:07` at `198\.51\.100\.23`: connected\. {2}\n/);
    expect(message.text).toContain('Maker: `Cisco Systems, Inc`');
    expect(message.summary).toMatch(/^connected\. alex, .*, 00:1B:54:00:00:07 at 198\.51\.100\.23$/m);
    expect(stage.posts.map(({ text }) => text)).toEqual([
      `${DEVICE}\nCorp_Wired_Access\nBasic_Authenticated_Access`,
    ]);
  });

  it('asks for the IP address again, and for all fields by the MAC address', async () => {
    const stage = stageLookup({ outcomes: { [IPV6]: SESSION } });
    const message = await stage.answer(`lookup [${IPV6}]:443`);
    expect(buttonsOf(message).map(({ data }) => data)).toMatchObject([
      { dialog: 'lookup', text: IPV6 },
      { dialog: 'fields', text: DEVICE },
    ]);
    const [again] = await press([stage.dialog], message, 'Look up again', { arrivedAt: NOW });
    expect(again).toMatchObject({ text: expect.stringMatching(/^`00:1B:54:00:00:07` at `2001:db8::23`: /) });
  });

  it.each(['203.0.113.7', '', 'AA:BB:CC:DD:EE:FF 00:1B:54:00:00:07', 'FF:FF:FF:FF:FF:FF'])(
    'stands for itself if the record names no MAC address, but "%s"',
    async (calling_station_id) => {
      const stage = stageLookup({ outcomes: found({ calling_station_id }) });
      const message = await stage.answer(`lookup ${IP}`);
      expect(message.text).toMatch(/^`198\.51\.100\.23`: connected\./);
      expect(message.text).not.toContain('Maker');
      expect(stage.posts[0]?.text).toMatch(/^198\.51\.100\.23\n/);
      expect(buttonsOf(message).map(({ data }) => data.text)).toEqual([IP, IP]);
    },
  );

  it('suggests the MAC address if there is no session', async () => {
    expect((await stageLookup().answer(`lookup ${IP}`)).text).toBe(
      '`198.51.100.23`: no session. The NAC knows of no current session with this IP address. It may know the device by its MAC address alone, so try that.',
    );
  });

  it('says that another device may have the address of a session that has ended', async () => {
    const ended = found({ calling_station_id: DEVICE, more: STOP });
    const hint = 'The session has ended, so another device may have this IP address by now.';
    expect((await stageLookup({ outcomes: ended }).answer(`lookup ${IP}`)).text).toContain(hint);
    expect((await stageLookup({ outcomes: ended }).answer(`lookup ${DEVICE}`)).text).not.toContain(hint);
  });

  it('is remembered for "recent" with both addresses', async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION } });
    await stage.ask(`lookup ${DEVICE}`);
    await stage.ask(`lookup ${IP}`);
    const lookup = { asked: IP, address: DEVICE, verdict: 'connected', at: NOW };
    expect(stage.recent.of('chat')).toEqual([lookup]);
  });
});

describe('several addresses', () => {
  it('can be of both kinds in a list, each asked for again as it was', async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION, [OTHER]: SESSION } });
    const message = await stage.answer(`lookup ${OTHER}, ${IP} and ${IPV6}`);
    expect(message.summary).toMatch(/^3 devices: 2 connected, 1 no session\./);
    expect(message.text).toContain('`00:1B:54:00:00:07` at `198.51.100.23`: connected. ');
    const texts = buttonsOf(message).map(({ data }) => data.text);
    expect(texts).toEqual([IPV6, OTHER, IP, `${OTHER} ${IP} ${IPV6}`]);
  });

  it('of one device are answered and posted once', async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION, [DEVICE]: SESSION } });
    const message = await stage.answer(`lookup ${DEVICE} ${IP}`);
    expect(message.text).toMatch(/^`00:1B:54:00:00:07` at `198\.51\.100\.23`: connected\./);
    expect(stage.posts[0]?.text.match(/00:1B/g)).toHaveLength(1);
  });

  it('in other words leave the IP addresses out, and say so', async () => {
    const { text } = await stageLookup().answer(`lookup ${DEVICE} moved from ${IP} to ${IPV6}`);
    expect(text).toMatch(/^`00:1B:54:00:00:07`: no session\./);
    expect(text).toContain(
      `\n\nI did not look up ${IP}, ${IPV6}: I look up IP addresses if nothing but addresses stands beside them.`,
    );
  });

  it('without a command are not spoken of', async () => {
    const { text } = await stageLookup().answer(`${DEVICE} moved from ${IP} to 300.1.2.3`);
    expect(text).not.toContain('I did not look up');
  });

  it('are looked up beside words that were meant as one, and these are named', async () => {
    const { text } = await stageLookup().answer(`lookup ${IP} 300.1.2.3 198.51.100.0/24 198.51.100.*`);
    expect(text).toMatch(/^`198\.51\.100\.23`: no session\./);
    expect(text).toMatch(
      /\n\nI did not look up 300\.1\.2\.3, 198\.51\.100\.0\/24, because I need the whole address of one device\.$/,
    );
  });
});

describe('a kept lookup by IP address', () => {
  it('is stored as it was asked, and asked so again', async () => {
    const stage = stageLookup({ outcomes: { [IP]: DOWN, [DEVICE]: DOWN } });
    await stage.ask(`lookup ${IP}, ${DEVICE}`);
    expect(stage.jobs).toMatchObject([{ job: { addresses: [IP, DEVICE] } }]);
    const later = stageLookup({ outcomes: { [IP]: SESSION, [DEVICE]: DOWN } });
    const [{ job }] = JSON.parse(JSON.stringify(stage.jobs));
    expect(await later.resume(job, 'key')).toMatchObject({ kind: 'again', data: { addresses: [DEVICE] } });
    expect(later.later).toMatchObject([{ text: expect.stringContaining(`\`${DEVICE}\` at \`${IP}\``) }]);
  });
});
