import type { Activity } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import { continuationOf, isPersonal, placeOf } from '../../src/teams/activity.ts';
import { activityOf } from './handle.ts';

describe('a message', () => {
  it('has a place to answer at, with how its sender writes times', () => {
    const conversation = { id: 'c;messageid=1', tenantId: 'tenant' };
    const place = placeOf(activityOf({ conversation, locale: 'de-DE', localTimezone: 'Europe/Berlin' }));
    expect(place).toMatchObject({
      reference: {
        serviceUrl: 'https://smba.trafficmanager.net/emea/',
        activityId: 'message-1',
        channelId: 'msteams',
        conversation,
      },
      locale: 'de-DE',
      timeZone: 'Europe/Berlin',
    });
    expect(placeOf(activityOf({}))).not.toHaveProperty('timeZone');
  });

  it.each([{}, { locale: 'de-DE', localTimezone: 'Europe/Berlin' }])(
    'is answered at its place: %j',
    (changes) => {
      const place = placeOf(activityOf(changes));
      expect(placeOf(continuationOf(place) as Activity)).toEqual(place);
    },
  );

  it.each([
    ['personal', { id: 'c', conversationType: 'personal' }, 'msteams', true],
    ['a channel', { id: 'c', conversationType: 'channel' }, 'msteams', false],
    ['a group', { id: 'c', conversationType: 'groupChat' }, 'msteams', false],
    ['of no known kind, in Teams', { id: 'c' }, 'msteams', false],
    ['of no known kind, elsewhere', { id: 'c' }, 'webchat', true],
    ['a group elsewhere', { id: 'c', isGroup: true }, 'webchat', false],
  ])('tells whether others read it: %s', (_, conversation, channelId, personal) => {
    expect(isPersonal(activityOf({ conversation, channelId }))).toBe(personal);
  });
});
