import { expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { startBot } from '../start-bot.ts';

const NOTICE =
  'The room gets no posts, because its webhook does not exist any more. Make a new one in the room, and paste its whole address into WEBHOOK_URL.';

it('an administrator gets one notice of a webhook that is gone', async () => {
  const nac = { '00:1B:54:00:00:01': sessionXml({ other: {} }) };
  const bot = await startBot({ nac, room: [404], settings: { ADMINS: 'alex' } });
  const alex = { channelId: 'msteams', from: { id: 'user-1', aadObjectId: 'alex' } };
  const [answer, ...notices] = (await bot.say('00:1B:54:00:00:01', alex)).texts;
  expect(answer).toContain('not posted');
  expect(notices).toEqual([NOTICE]);
  expect((await bot.say('help', alex)).texts).toHaveLength(1);
});
