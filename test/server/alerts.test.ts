import { describe, expect, it } from 'vitest';
import { readAlertDetails } from '../../src/server/alerts.ts';
import { ALERTMANAGER } from './alerts/recorded.ts';

describe('the words of an alert', () => {
  it.each([null, 5, [], {}, '', [[]], { alerts: 5 }, { event: { data: {} } }, { groupKey: 'x', status: 5 }])(
    'are none in %j',
    (body) => {
      expect(readAlertDetails(body)).toEqual({ state: 'unknown' });
    },
  );

  it.each([
    [{ message: 'inner', title: 'title' }, 'title'],
    [{ a: [{ title: 'deep' }], message: 'outer' }, 'deep'],
    [{ details: { text: 'x' }, TEXT: 'first' }, 'first'],
    [{ title: ' ', summary: '<p>port&nbsp;<b>down</b></p>' }, 'port down'],
    [{ text: 'a'.repeat(300) }, `${'a'.repeat(200)}...`],
    [{ secret: 'x', sharedSecret: 'y', password: { value: 'z' }, status: 'Down' }, 'Down'],
  ])('of any sender %j have the title %j', (body, title) => {
    expect(readAlertDetails(body).title).toBe(title);
  });

  it.each([
    ['resolved', 'resolved'],
    ['OK', 'resolved'],
    ['Up', 'resolved'],
    ['Problem', 'firing'],
    ['resolved soon', 'unknown'],
  ])('of any sender with the status %s say %s', (status, state) => {
    expect(readAlertDetails({ status }).state).toBe(state);
  });

  it.each([
    'http://prometheus.example/',
    'https://grafana.example@evil.example/',
    'javascript:alert(1)',
    '//evil.example',
    `https://prometheus.example/${'x'.repeat(2000)}`,
    5,
  ])('link to https addresses alone, not to %s', (generatorURL) => {
    const body = { ...Object(ALERTMANAGER.body), alerts: [{ generatorURL }] };
    expect(readAlertDetails(body)).not.toHaveProperty('link');
  });

  it('name their incident by a key of at most 1,000 characters, each by its own', () => {
    const keyOf = (groupKey: string) =>
      readAlertDetails({ ...Object(ALERTMANAGER.body), groupKey }).incidentKey ?? '';
    const long = 'x'.repeat(1000);
    expect(keyOf(long)).toBe(long);
    expect(keyOf(`${long}1`)).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf(`${long}1`)).not.toBe(keyOf(`${long}2`));
  });
});
