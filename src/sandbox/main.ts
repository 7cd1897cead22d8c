import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { createChat, messageActivity, shownIn, textOf } from './chat.ts';
import { freePort, listen } from './listen.ts';
import { PERSONAL_ACCOUNT } from './nac.ts';
import { startBot, startPlayground, startSandbox } from './sandbox.ts';

const ALERTS_TOKEN = 'sandbox-alerts-token';

process.stdout.on('error', () => process.exit(1)); // A reader such as `head` has read enough.
const message = process.argv.slice(2).join(' ').trim();
const [room, preferredPort] = message === '' ? [8090, Number(process.env.PORT ?? 3978)] : [0, 0];
const sandbox = await startSandbox({ room });
const port = await freePort(preferredPort);
const own = { ALERTS_TOKEN, PUBLIC_HOST: `127.0.0.1:${port}`, PORT: String(port) };
const bot = await startBot({ ...sandbox.environment, ...own }, (line) => {
  if (!/^\{"level":[123]0,/.test(line)) process.stderr.write(`${line}\n`);
});
try {
  await (message === '' ? runUntilStopped() : send());
} finally {
  await bot.stop();
  await sandbox.close();
}

async function send(): Promise<void> {
  await (message.startsWith('--alert') ? sendAlert() : sendMessage());
  for (const { form, text } of sandbox.posts) show(`The room's webhook received (${form})`, text);
  if (sandbox.posts.length === 0) process.stdout.write("The room's webhook received nothing.\n");
}

async function runUntilStopped(): Promise<void> {
  const chat = await startPlayground({ botUrl: bot.url, port: 56150, directory: process.cwd() });
  process.stdout.write(`
The sandbox is up. Nothing leaves this machine.

  Type here:  ${chat.url}   (chat page)
  Look here:  ${sandbox.roomUrl}   (the team's room)

Five things to type:
  lookup AA:BB:CC:DD:EE:FF
  lookup 00:1B:54:00:00:03 and 00-1b-54-00-00-99
  watch 00:1B:54:00:00:28    (connects soon; within a minute the bot says so)
  connect    (user name ${PERSONAL_ACCOUNT.username}, password ${PERSONAL_ACCOUNT.password})
  alerts here as noc    (then alerts test noc)

An alert, as a monitoring system sends it:
  curl -H 'Authorization: Bearer ${ALERTS_TOKEN}' -H 'Content-Type: text/plain' -d 'port down: 00:1B:54:00:00:03' ${bot.url}/api/alerts

Ctrl+C stops it.
`);
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => undefined);
  const died = once(bot.child, 'exit').then(([code, signal]) => String(signal ?? `exit code ${code}`));
  const death = await Promise.race([stopped, died]);
  if (death !== undefined) {
    process.stderr.write(`The bot has ended (${death}), so the sandbox stops too.\n`);
    process.exitCode = 1;
  }
  await chat.stop();
}

async function sendMessage(): Promise<void> {
  const chat = createChat();
  const chatAt = await listen(chat.server);
  const response = await post(`${bot.url}/api/messages`, messageActivity(chatAt.url, message));
  if (!response.ok) throw new Error(`the bot answered ${response.status}`);
  show('You', message);
  const shown = shownIn(chat.replies);
  for (const reply of shown) show('The bot replies', textOf(reply));
  if (shown.some((reply) => textOf(reply).startsWith('Watching '))) {
    process.stdout.write('Waiting for the change, for two minutes at most ...\n\n');
    const until = Date.now() + 120_000; // A watched device is asked for after a minute.
    while (shownIn(chat.replies).length === shown.length && Date.now() < until) await setTimeout(100);
    for (const reply of shownIn(chat.replies).slice(shown.length)) show('The bot says', textOf(reply));
  }
  await chatAt.close();
}

async function sendAlert(): Promise<void> {
  const startsAt = new Date(Date.now() - 5 * 60_000).toISOString();
  const alert = (mac: string) => ({ status: 'firing', labels: { alertname: 'PortDown', mac }, startsAt });
  const sample = {
    groupKey: '{}:{alertname="PortDown"}',
    status: 'firing',
    commonLabels: { alertname: 'PortDown', severity: 'critical' },
    commonAnnotations: { summary: 'Ports on sw-floor2-17 are down' },
    alerts: [alert('00:1b:54:00:00:03'), alert('AA:BB:CC:DD:EE:FF')],
  };
  const response = await post(`${bot.url}/api/alerts?token=${ALERTS_TOKEN}`, sample);
  show('The monitoring system sends', JSON.stringify(sample, null, 2));
  show(`The bot answers ${response.status}`, await response.text());
  const until = Date.now() + 30_000;
  while (response.ok && sandbox.posts.length === 0 && Date.now() < until) await setTimeout(100);
}

function post(url: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

function show(who: string, text: string): void {
  process.stdout.write(`${who}:\n${text.replace(/^/gm, '  ')}\n\n`);
}
