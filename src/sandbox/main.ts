import { once } from 'node:events';
import { PERSONAL_ACCOUNT } from './accounts.ts';
import { createChat, messageActivity, shownIn, textOf } from './chat.ts';
import { freePort, listen } from './listen.ts';
import { startPlayground } from './playground.ts';
import { type Sandbox, startBot, startSandbox } from './sandbox.ts';

const message = process.argv.slice(2).join(' ').trim();
if (message === '') await runUntilStopped();
else await sendOne(message);

/** Runs everything that a newcomer needs, until Ctrl+C. */
async function runUntilStopped(): Promise<void> {
  const sandbox = await startSandbox({ room: 8090 });
  const port = await freePort(Number(process.env.PORT ?? 3978));
  const bot = await startBot({ ...sandbox.environment, PORT: String(port) }, showWarnings);
  const chat = await startPlayground({ messagesUrl: bot.messagesUrl, port: 56150, directory: process.cwd() });
  print(`
The sandbox is up. Nothing leaves this machine.

  Type here:  ${chat.url}   (chat page)
  Look here:  ${sandbox.roomUrl}   (the team's room)

Three things to type:
  lookup AA:BB:CC:DD:EE:FF
  lookup 00:1B:54:00:00:03 and 00-1b-54-00-00-99
  connect    (user name ${PERSONAL_ACCOUNT.username}, password ${PERSONAL_ACCOUNT.password})

Ctrl+C stops it.
`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await Promise.all([chat.stop(), bot.stop()]);
  await sandbox.close();
}

/** Sends one message to a running bot over HTTP, and prints the reply and the room's post. */
async function sendOne(text: string): Promise<void> {
  const sandbox = await startSandbox();
  const chat = createChat();
  const chatAt = await listen(chat.server);
  const bot = await startBot({ ...sandbox.environment, PERSONAL_SIGN_IN: '', PORT: '0' }, showWarnings);
  try {
    const response = await fetch(bot.messagesUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(messageActivity(chatAt.url, text)),
    });
    if (!response.ok) throw new Error(`the bot answered ${response.status}`);
    show('You', text);
    for (const reply of shownIn(chat.replies)) show('The bot replies', textOf(reply));
    showPosts(sandbox);
  } finally {
    await bot.stop();
    await Promise.all([chatAt.close(), sandbox.close()]);
  }
}

function showPosts({ room }: Sandbox): void {
  for (const { form, text } of room.posts()) show(`The room's webhook received (${form})`, text);
  if (room.posts().length === 0) print("The room's webhook received nothing.\n");
}

function show(who: string, text: string): void {
  print(`${who}:\n${text.replace(/^/gm, '  ')}\n\n`);
}

/** Prints the log lines that matter in a trial: warnings and errors. */
function showWarnings(line: string): void {
  if (!/^\{"level":[123]0,/.test(line)) process.stderr.write(`${line}\n`);
}

function print(text: string): void {
  process.stdout.write(text);
}
