import { type RunningBot, startBot as startMain } from '../src/sandbox/sandbox.ts';
import { type Bot, type BotOptions, startAround } from './start-bot.ts';

/**
 * Starts the bot in a process of its own, for what only a process can show. Its clock is the machine's.
 * @param command how the bot is started, if not as `node src/main.ts`
 */
export function startBotProcess(
  options: BotOptions = {},
  command?: Parameters<typeof startMain>[2],
): Promise<Bot<RunningBot>> {
  return startAround((environment, onLine) => startMain(environment, onLine, command), options);
}
