import type { Activity, InvokeResponse } from 'botbuilder';
import { Adapter } from '../../src/teams/adapter.ts';
import { Handler, type Tasks } from '../../src/teams/handler.ts';

/** A message from Teams with these changes. */
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

/** Runs a turn that arrived at 0, with these tasks alone; any other task, and any reply, is an error. */
export function handle(activity: Activity, tasks: Partial<Tasks>): Promise<InvokeResponse | undefined> {
  const unwanted = () => Promise.reject(new Error('unwanted'));
  const adapter = new Adapter(
    {
      conversations: { sendToConversation: unwanted, replyToActivity: unwanted, updateActivity: unwanted },
    },
    Date.now,
  );
  const handler = new Handler({
    onMessage: unwanted,
    onExtension: unwanted,
    onInstalled: unwanted,
    onRemoved: unwanted,
    ...tasks,
  });
  return adapter.run(activity, 0, (context) => handler.run(context));
}
