import { describe, expect, it } from 'vitest';
import type { AlertDetails } from '../../../dialogs/answers/alert-details.ts';
import { type Message, type Place, placeSchema } from '../../../dialogs/format/message.ts';
import { type AlertJob, workOnAlert } from '../../../dialogs/jobs/alert-job.ts';
import { type Incident, incidentSchema } from '../../../dialogs/jobs/incident.ts';
import type { LookupOutcome } from '../../../src/nac/lookup.ts';
import type { AuditEntry } from '../../../src/ops/audit.ts';
import type { Delivery } from '../../../src/webhook/delivery.ts';
import { found, NOW, POSTED } from '../commands/lookup-stage.ts';
import { expectWellFormed } from '../well-formed.ts';

const MINUTE = 60_000;
const [ONE, OTHER] = ['00:1B:54:00:00:01', '00:1B:54:00:00:02'];
const TITLE = 'Ports on sw_floor2 are down';
const REJECTED = found({ passed: 'false' });

describe('alerts of one incident', () => {
  it('share one message, which says what is true now, since when, and how often it was told', async () => {
    const { send, chat, room, outcomes } = stage();
    await send({ addresses: [ONE, OTHER] });
    await send({ addresses: [ONE, OTHER], startsAt: NOW + MINUTE });
    outcomes[ONE] = found();
    await send({ addresses: [ONE, OTHER] });
    expect(chat.map(({ kind, id }) => [kind, id])).toEqual([
      ['said', 'm-1'],
      ['replaced', 'm-1'],
      ['replaced', 'm-1'],
    ]);
    expect(chat[0]?.text).toContain('Since: 15 Jan 2026, 14:01 UTC (4 minutes ago)\n');
    expect(chat[1]?.text).toContain(
      `Alert firing: \`${TITLE}\`  \nSince: 15 Jan 2026, 14:01 UTC (4 minutes ago), told 2 times\n`,
    );
    expect(chat[2]?.text).toMatch(
      /told 3 times\n[\s\S]*2 devices: 1 connected, 1 no session\.[\s\S]*were posted/,
    );
    expect(room).toEqual([
      expect.stringMatching(/^Alert firing: [\s\S]*:01: no session[\s\S]*:02: no session/),
      `Alert firing: ${TITLE}\nSince: 15 Jan 2026, 14:01 UTC\n\n${ONE}\nCorp_Wired_Access\nBasic_Authenticated_Access\n\n1 device is unchanged.`,
    ]);
  });

  it('that is resolved says so in its message, looks its devices up once more, and adds a line', async () => {
    const { send, chat, room, outcomes } = stage();
    await send({ addresses: [ONE] });
    await send({ addresses: [ONE] }, 'resolved');
    expect(chat.slice(1)).toMatchObject([
      { kind: 'replaced', id: 'm-1', text: expect.stringMatching(/^Alert resolved: /) },
      { kind: 'said', text: `Resolved: \`${TITLE}\`. \`${ONE}\`: no session.` },
    ]);
    expect(room).toHaveLength(1);
    outcomes[ONE] = REJECTED;
    await send({ addresses: [ONE, OTHER] });
    expect(chat.slice(3)).toMatchObject([
      { kind: 'replaced', id: 'm-1', text: expect.stringMatching(/^Alert firing: .*\n.*, told 2 times/) },
      { kind: 'said', text: `Firing again: \`${TITLE}\`. 2 devices: 1 rejected, 1 no session.` },
    ]);
    outcomes[ONE] = found();
    await send({ addresses: [ONE] }, 'resolved');
    expect(room.slice(1)).toEqual([
      expect.stringMatching(/^Alert firing: [\s\S]*:01: rejected[\s\S]*:02: no session/),
      expect.stringMatching(
        /^Alert resolved: .*\n.*\n\n00:1B:54:00:00:01\n[\s\S]*\n\nNo longer in the alert: 00:1B:54:00:00:02\.$/,
      ),
    ]);
  });

  it('whose sender says no beginning began with the first of them', async () => {
    const { send, chat } = stage();
    await send({ addresses: [ONE], startsAt: undefined });
    await send({ addresses: [ONE], startsAt: undefined });
    expect(chat[0]?.text).not.toContain('Since');
    expect(chat[1]?.text).toContain('Since: 15 Jan 2026, 14:05 UTC (now), told 2 times');
  });

  it('that is resolved without an address has the devices that were told looked up', async () => {
    const { send, chat, asked } = stage();
    expect(await send({}, 'resolved')).toEqual({ kind: 'done' });
    expect([chat, asked]).toEqual([[], []]);
    await send({ addresses: [ONE, OTHER] });
    await send({}, 'resolved');
    expect(asked).toEqual([ONE, OTHER, ONE, OTHER]);
    expect(chat.slice(1)).toMatchObject([
      { kind: 'replaced', id: 'm-1' },
      { kind: 'said', text: `Resolved: \`${TITLE}\`. 2 devices: 2 no session.` },
    ]);
  });

  it('begin anew after the end: resolved of an unknown incident, then fired with a new beginning', async () => {
    const { send, chat, room } = stage();
    await send({ addresses: [ONE] }, 'resolved');
    await send({ addresses: [ONE], startsAt: NOW });
    expect(chat).toMatchObject([
      { kind: 'said', id: 'm-1', text: expect.stringMatching(/^Alert resolved: /) },
      { kind: 'said', id: 'm-2', text: expect.stringMatching(/^Alert firing: /) },
    ]);
    expect(chat[1]?.text).not.toContain('told');
    expect(room).toHaveLength(2);
  });

  it('are told in a new message where the edit is refused, and from then on in that one', async () => {
    const { send, chat, refusals } = stage();
    await send({ addresses: [ONE] });
    refusals.push('edit');
    await send({ addresses: [ONE] }, 'resolved');
    await send({ addresses: [ONE] }, 'resolved');
    expect(chat.map(({ kind, id }) => [kind, id])).toEqual([
      ['said', 'm-1'],
      ['said', 'm-2'],
      ['replaced', 'm-2'],
    ]);
  });

  it('whose message has no id yet: nothing if all is as before, else a new message', async () => {
    const { send, chat, outcomes, refusals } = stage();
    refusals.push('id');
    await send({ addresses: [ONE] });
    await send({ addresses: [ONE] });
    expect(chat).toHaveLength(1);
    outcomes[ONE] = REJECTED;
    refusals.push('id');
    await send({ addresses: [ONE] });
    await send({ addresses: [ONE] });
    expect(chat).toHaveLength(2);
    await send({ addresses: [ONE] }, 'resolved');
    await send({ addresses: [ONE] }, 'resolved');
    expect(chat.slice(2)).toMatchObject([
      { kind: 'said', id: 'm-3', text: expect.stringMatching(/^Alert resolved: /) },
      { kind: 'replaced', id: 'm-3' },
    ]);
  });

  it('that come late change no message, and tell the room what nobody was told', async () => {
    const { send, chat, room, told } = stage();
    await send({ addresses: [ONE] });
    const late = { addresses: [ONE, OTHER], arrivedAt: NOW + MINUTE };
    await send({ addresses: [ONE], arrivedAt: NOW + 2 * MINUTE }, 'resolved');
    await send(late);
    await send({ ...late, arrivedAt: NOW });
    expect(chat).toHaveLength(3);
    expect(room.slice(1)).toEqual([
      expect.stringMatching(
        /^Alert resolved: [\s\S]*\n\n00:1B:54:00:00:02: no session\..*\n\n1 device is unchanged\.$/,
      ),
    ]);
    expect(told).toEqual([true, false]); // So a refused post becomes a dead letter.
  });

  it('are told once, though the process dies before the job is settled', async () => {
    const { send, chat, room } = stage();
    await send({ addresses: [ONE], key: 'same' });
    await send({ addresses: [ONE], key: 'same' });
    await send({ addresses: [ONE], key: 'end' }, 'resolved');
    await send({ addresses: [ONE], key: 'end' }, 'resolved');
    expect([chat.length, room.length]).toEqual([3, 1]);
  });

  it('are posted once, though the process dies before the thread is told', async () => {
    const { send, chat, room, refusals } = stage();
    for (const state of ['firing', 'resolved'] as const) {
      refusals.push('death');
      await expect(send({ addresses: [ONE], key: state }, state)).rejects.toThrow('death');
      await send({ addresses: [ONE], key: state }, state);
    }
    expect(chat.map(({ kind, id }) => [kind, id])).toEqual([
      ['said', 'm-1'],
      ['replaced', 'm-1'],
      ['replaced', 'm-1'],
      ['said', 'm-2'],
    ]);
    expect(chat[0]?.text).not.toContain('told');
    expect(chat[2]?.text).toMatch(/^Alert resolved: /);
    expect(room).toHaveLength(1);
  });

  it('are told each in its own place, and anew where the name has moved', async () => {
    const { send, chat, places } = stage();
    await send({ addresses: [ONE] });
    places.core = placeAt('another');
    await send({ addresses: [ONE] });
    places.renamed = placeAt('chat');
    await send({ addresses: [ONE], thread: 'renamed' });
    expect(chat.map(({ kind, id, conversation }) => [kind, id, conversation])).toEqual([
      ['said', 'm-1', 'chat'],
      ['said', 'm-2', 'another'],
      ['replaced', 'm-1', 'chat'],
    ]);
  });

  it('without a thread are told to the room alone, once for each change', async () => {
    const { send, chat, room, outcomes } = stage();
    const alert = { addresses: [ONE], thread: undefined };
    await send(alert);
    await send(alert);
    await send(alert, 'resolved');
    expect(room).toHaveLength(1);
    outcomes[ONE] = REJECTED;
    await send(alert, 'resolved');
    expect(room.slice(1)).toEqual([expect.stringMatching(/^Alert resolved: [\s\S]*:01: rejected/)]);
    expect(chat).toEqual([]);
  });

  it('are posted again if the room refused the post, and not while the post waits', async () => {
    const { send, chat, room, deliveries } = stage();
    deliveries.push(
      { outcome: { kind: 'not found', final: true }, partly: false, kept: false },
      { outcome: { kind: 'waiting' }, partly: false, kept: true },
    );
    for (let n = 0; n < 4; n++) await send({ addresses: [ONE] });
    expect(room).toHaveLength(2);
    expect(chat.map(({ text }) => text.split('\n').at(-3))).toEqual([
      expect.stringContaining('not posted to the room: its webhook does not exist'),
      ...Array(3).fill(expect.stringContaining('not posted yet')),
    ]);
  });

  it('wait while another of them is told, and no try is counted', async () => {
    const { send, chat, held } = stage();
    held.add('all');
    const job = await send({ addresses: [ONE] });
    expect(job).toMatchObject({ kind: 'again', data: { attempt: 0 }, afterMs: 1000 });
    expect(chat).toEqual([]);
  });

  it('have each their own message if they have no incident key', async () => {
    const { send, chat, room } = stage();
    await send({ addresses: [ONE], incidentKey: undefined });
    await send({ addresses: [ONE], incidentKey: undefined });
    await send({ addresses: [ONE], incidentKey: undefined }, 'resolved');
    expect(chat.map(({ kind }) => kind)).toEqual(['said', 'said', 'said']);
    expect(room).toHaveLength(3);
  });
});

describe('the audit of an alert', () => {
  it('has a line for each device, which says whether the device is in the post', async () => {
    const { send, outcomes, audited } = stage();
    outcomes[OTHER] = found();
    await send({ addresses: [ONE, OTHER] });
    const same = { by: 'alert', alert: 'core', conversation: 'chat', person: undefined, private: undefined };
    expect(audited).toMatchObject([
      { ...same, asked: ONE, outcome: 'no session', tokens: 0, posted: 'yes' },
      { ...same, asked: OTHER, outcome: 'found', verdict: 'connected', posted: 'yes' },
    ]);
    await send({ addresses: [ONE, OTHER, '00:1B:54:00:00:03'] });
    expect(audited.slice(2).map(({ posted }) => posted)).toEqual(['nothing', 'nothing', 'yes']);
  });

  it('has no line while the alert is tried again', async () => {
    const { send, outcomes, deliveries, audited } = stage();
    outcomes[ONE] = { kind: 'unreachable' };
    await send({ addresses: [ONE] });
    deliveries.push({ outcome: { kind: 'unreachable', final: false }, partly: false, kept: false });
    await send({ addresses: [OTHER], thread: 'nowhere' });
    expect(audited).toEqual([]);
  });

  it("has the number that stands in the thread's message, and in the room's", async () => {
    const { send, outcomes, chat, room, audited } = stage();
    outcomes[ONE] = { kind: 'forbidden', whose: 'service' };
    await send({ addresses: [ONE] });
    const sentence = `\n\nReport number ${audited[0]?.number}.`;
    expect(chat[0]?.text).toContain(sentence);
    expect(room[0]).toContain(sentence);
  });
});

type Shown = { kind: 'said' | 'replaced'; id: string; conversation: string; text: string };

type Sent = Partial<Pick<AlertJob, 'addresses' | 'thread' | 'arrivedAt'>> &
  Partial<Pick<AlertDetails, 'startsAt' | 'incidentKey'>> & { key?: string };

const placeAt = (id: string): Place =>
  placeSchema.parse({ reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id } } });

/** Works on alerts one after another: with a NAC, a room and a chat that the test changes between. */
function stage() {
  const [chat, room, asked, told]: [Shown[], string[], string[], boolean[]] = [[], [], [], []];
  const outcomes: Record<string, LookupOutcome> = {};
  const places: Record<string, Place> = { core: placeAt('chat') };
  const refusals: Array<'edit' | 'id' | 'death'> = [];
  const deliveries: Delivery[] = [];
  const held = new Set<string>();
  const rows = new Map<string, string>();
  let count = 0;
  const never = () => Promise.reject(new Error('not asked here'));
  const show = (kind: Shown['kind'], id: string, place: Place, message: Message) => {
    expectWellFormed(message);
    chat.push({ kind, id, conversation: place.reference.conversation.id, text: message.text });
  };
  const audited: AuditEntry[] = [];
  const options: Parameters<typeof workOnAlert>[2] = {
    audit: (entry) => void audited.push(entry),
    async lookUp(address) {
      asked.push(address);
      return outcomes[address] ?? { kind: 'no session' };
    },
    async deliver(_key, text, isTold = () => true) {
      room.push(text);
      told.push(isTold());
      return deliveries.shift() ?? POSTED;
    },
    explain: async (answers) => answers,
    threads: { save: never, names: never, remove: never, find: async (name) => places[name] },
    incidents: {
      async hold(id, work) {
        if (held.has('all')) return undefined;
        const row = rows.get(id);
        return work({
          told: row === undefined ? undefined : incidentSchema.parse(JSON.parse(row)),
          save: async (data: Incident) => void rows.set(id, JSON.stringify(data)),
        });
      },
    },
    async sayLater(place, message) {
      if (refusals[0] === 'death') throw new Error(refusals.shift());
      const id = `m-${chat.filter(({ kind }) => kind === 'said').length + 1}`;
      show('said', id, place, message);
      return refusals[0] === 'id' ? void refusals.shift() : id;
    },
    async replaceLater(place, id, message) {
      if (refusals[0] === 'edit') return refusals.shift() === undefined;
      show('replaced', id, place, message);
      return true;
    },
    nacLink: undefined,
    now: () => NOW,
  };
  return {
    chat,
    room,
    asked,
    audited,
    told,
    outcomes,
    places,
    refusals,
    deliveries,
    held,
    send(sent: Sent, state: AlertDetails['state'] = 'firing') {
      count++;
      const {
        addresses = [],
        thread,
        arrivedAt,
        startsAt,
        incidentKey,
      } = {
        thread: 'core',
        arrivedAt: NOW + count,
        startsAt: NOW - 4 * MINUTE,
        incidentKey: 'k',
        ...sent,
      };
      const details = {
        title: TITLE,
        state,
        ...(startsAt && { startsAt }),
        ...(incidentKey && { incidentKey }),
      };
      const job = { digest: 'abc', addresses, thread, details, arrivedAt, firstAt: NOW, attempt: 0 };
      return workOnAlert(job, sent.key ?? `alert-${count}`, options);
    },
  };
}
