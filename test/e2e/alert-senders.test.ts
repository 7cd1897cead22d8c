import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { sendAsCurl } from '../send-as-curl.ts';
import { ALERTS_TOKEN } from '../speaker.ts';
import { startBot } from '../start-bot.ts';

const MAC = 'AA:BB:CC:DD:EE:FF';
const AP = '00:1B:54:00:00:02';

const bot = await startBot();
await bot.say('alerts here as noc');

type Answer = { status: number; macs: string[] };

type Send = (blocks: readonly string[]) => Promise<Answer>;

const JSON_TYPE = 'application/json';
const DOWN = `port down, last seen ${MAC}`;

/** What a sender makes of its blocks, where that is more than an address and a token. */
const SENDERS: Readonly<Record<string, Send>> = {
  async Zabbix([parameters = '', script = '']) {
    const filled = parameters.replace('{ALERT.MESSAGE}', DOWN);
    const value = JSON.stringify(Object.fromEntries(filled.split('\n').map((line) => line.split(' = '))));
    const headers = new Headers();
    let answer: Promise<Answer> | undefined;
    const HttpRequest = class {
      addHeader = (line: string) => headers.append(...(line.split(': ') as [string, string]));
      post(url: string, body: string) {
        answer = post(url, headers.get('authorization') ?? '', body, headers.get('content-type') ?? '');
      }
      getStatus = () => 202;
    };
    expect(runInNewContext(`(function () {${script}})()`, { value, HttpRequest })).toBe('OK');
    return (await answer) ?? expect.unreachable();
  },
  Meraki([server = '', template = '']) {
    const values: Readonly<Record<string, string>> = {
      sharedSecret: settingIn(server, 'Shared secret'),
      alertType: 'Client connectivity changed',
      deviceMac: AP,
      'alertData.mac': MAC,
    };
    const render = (liquid: string) => liquid.replace(/\{\{([\w.]+)\}\}/g, (_, name) => values[name] ?? '');
    return sendPlainly([render(server)], render(template));
  },
  PRTG([block = '']) {
    const values: Readonly<Record<string, string>> = { '%message': encodeURIComponent(DOWN) };
    const form = settingIn(block, 'Payload').replace(/%\w+/g, (name) => values[name] ?? 'x');
    return post(settingIn(block, 'URL'), undefined, form, 'application/x-www-form-urlencoded');
  },
  async 'CloudWatch by SNS'([block = '']) {
    const { username, password, origin, pathname } = new URL(settingIn(block, 'Endpoint'));
    const to = `${origin}${pathname}`;
    const Message = JSON.stringify({ AlarmName: DOWN, NewStateValue: 'ALARM' });
    const body = { Type: 'Notification', Message };
    // SNS shows its password only to a service that has asked for one.
    const unasked = await fetch(to, { method: 'POST', body: JSON.stringify(body) });
    expect(unasked.headers.get('www-authenticate')).toContain('Basic realm=');
    const pair = Buffer.from(`${username}:${password}`).toString('base64');
    return post(to, `Basic ${pair}`, body, 'text/plain; charset=UTF-8');
  },
  async 'Any other sender'([block = '']) {
    const response = await sendAsCurl(block);
    return { status: response.status, macs: macsIn(await response.text()) };
  },
};

describe('docs/alerts.md', () => {
  const page = readFileSync(new URL('../../docs/alerts.md', import.meta.url), 'utf8');
  const [, ...sections] = page.split('\n### ');
  const names = sections.map((section) => section.slice(0, section.indexOf('\n')));

  it('has the token in the address only for senders without headers', () =>
    expect(names.filter((_, n) => sections[n]?.includes('?token=')).join()).toBe('Cisco ISE,PRTG,Splunk'));

  it.each(names)('shows what %s needs: its alert is accepted, with its device', async (name) => {
    const section = sections[names.indexOf(name)] ?? '';
    const blocks = [...section.matchAll(/```\w+\n([\s\S]*?)\n```/g)].map(([, block = '']) => filledIn(block));
    const send = SENDERS[name] ?? sendPlainly;
    const macs = name === 'Meraki' ? [AP, MAC] : [MAC];
    expect(await send(blocks)).toEqual({ status: 202, macs });
  });
});

function filledIn(block: string): string {
  const { protocol, host } = new URL(bot.url);
  return block
    .replace('https:', protocol)
    .replace('PUBLIC_HOST', host)
    .replace('/NAME', '/noc')
    .replaceAll('<ALERTS_TOKEN>', ALERTS_TOKEN);
}

function settingIn(block: string, name: string, sign = ': '): string {
  const lines = block.split('\n').map((line) => line.trim());
  return lines.find((line) => line.startsWith(name + sign))?.slice(name.length + sign.length) ?? '';
}

function sendPlainly([block = '']: readonly string[], body: unknown = { title: DOWN }): Promise<Answer> {
  const [url = ''] = /https?:[^\s"]+/.exec(block) ?? [];
  const [, token] = /authorization[\s\S]*?(?:Bearer |credentials: )([^\s"']+)/i.exec(block) ?? [];
  return post(url, token && `Bearer ${token}`, body);
}

async function post(url: string, authorization = '', body: unknown = '', type = JSON_TYPE): Promise<Answer> {
  const headers = { authorization, 'content-type': type };
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(url, { method: 'POST', headers, body: sent });
  return { status: response.status, macs: macsIn(await response.text()) };
}

function macsIn(answer: string): string[] {
  const { lookups = [] }: { lookups?: Array<{ mac: string }> } = JSON.parse(answer);
  return lookups.map(({ mac }) => mac);
}
