import type { Activity } from 'botbuilder';

/**
 * Messages in a channel or group chat that one person alone sees; Teams calls them targeted. If a question is targeted, so is
 * every answer to it.
 * https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages
 */
export function isTargeted({ recipient }: Partial<Activity>): boolean {
  return hasFlag(recipient);
}

/** Whether a button of a targeted message was pressed. Teams need not mark the press. */
export function isTargetedPress({ value }: Partial<Activity>): boolean {
  return hasFlag(value);
}

export function target(question: Activity): void {
  question.recipient = { ...question.recipient, ...FLAG };
}

/** Makes an answer targeted if its question is. The connector tells the chat service of the flag on the recipient. */
export function targetAnswer(answer: Partial<Activity>, question: Activity): void {
  if (!isTargeted(question)) return;
  const { attachments, entities = [] } = answer;
  Object.assign(answer, {
    from: unflagged(question.recipient),
    recipient: { ...question.from, ...FLAG },
    entities: [...entities, { type: 'targetedMessageInfo', messageId: question.id }],
    ...(attachments && { attachments: withFlaggedButtons(attachments) }),
  });
}

/** The body of a targeted message, whose query says that it is targeted. Teams refuses an edit that names a recipient. */
export function targetedBody(activity: Partial<Activity>, isUpdate: boolean): Partial<Activity> {
  const { recipient, ...body } = activity;
  return isUpdate || !recipient ? body : { ...body, recipient: unflagged(recipient) };
}

const FLAG = { isTargeted: true };

/** Takes every form of "yes", because a private answer must not become public. */
function hasFlag(value: unknown): boolean {
  return Boolean((value as { isTargeted?: unknown } | null | undefined)?.isTargeted);
}

function unflagged<Account extends object>(account: Account): Account {
  const { isTargeted: _, ...plain } = account as Account & { isTargeted?: unknown };
  return plain as Account;
}

/** A copy whose buttons send the flag. */
function withFlaggedButtons(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFlaggedButtons);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, withFlaggedButtons(each)]);
  const copy = Object.fromEntries(entries);
  return copy.type === 'Action.Submit' ? { ...copy, data: { ...copy.data, ...FLAG } } : copy;
}
