import type { Activity } from 'botbuilder';

/** Megan's message to the bot in Teams, with these changes. */
export function activityOf(changes: object): Activity {
  return {
    type: 'message',
    id: 'message-1',
    channelId: 'msteams',
    serviceUrl: 'https://smba.trafficmanager.net/emea/',
    conversation: { id: 'chat' },
    from: { id: '29:megan', aadObjectId: 'megan' },
    recipient: { id: 'bot' },
    ...changes,
  } as Activity;
}
