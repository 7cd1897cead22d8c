import { conversationOf } from '../render/message.ts';
import { code, lines } from '../render/words.ts';
import type { Command } from './command.ts';

const WORDS = {
  groupChat:
    'Teams delivers messages without a mention only in channels. In a group chat, please mention me.',
  personal: 'I answer every message in a personal chat anyway.',
  on: 'I now answer every message here that holds a MAC address, each in its own thread.',
  off: 'I now answer here only when I am mentioned.',
  is: (isOn: boolean) =>
    `Autoreply is ${isOn ? 'on' : 'off'} here. ${code('autoreply on')} and ${code('autoreply off')} change that.`,
  permission:
    'I need the permission ChannelMessage.Read.Group in this team to receive messages without a mention. The person who installed me can grant it.',
};

export const autoreply: Command = {
  summary: 'answers MAC addresses here without a mention, for administrators',
  isUseful: ({ isPersonal, isAdmin }) => !isPersonal && isAdmin,
  example: 'autoreply on',
  async answer({ text, isPersonal, place, say }, { autoreplies }) {
    if (isPersonal) return say(WORDS.personal);
    const { channelId, conversation: chat } = place.reference;
    if (channelId === 'msteams' && chat.conversationType === 'groupChat') return say(WORDS.groupChat);
    const conversation = conversationOf(place);
    switch (text.trim().toLowerCase()) {
      case 'on':
        await autoreplies.add(conversation);
        return say(lines(WORDS.on, WORDS.permission));
      case 'off':
        await autoreplies.remove(conversation);
        return say(WORDS.off);
      default:
        return say(WORDS.is((await autoreplies.find(conversation)) !== undefined));
    }
  },
};
