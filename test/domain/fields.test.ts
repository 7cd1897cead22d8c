import { describe, expect, it } from 'vitest';
import { readFields, readRecord } from '../../src/domain/record.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';

describe('readFields', () => {
  it('returns every field under its own name, attributes last, the first of a name', () => {
    const xml = sessionXml({ other: { PostureStatus: 'Compliant' } });
    const fields = readFields(xml.replace(':!:PostureStatus', ':!:PostureStatus=Unknown:!:PostureStatus'));
    expect(fields.slice(0, 3)).toEqual([
      { name: 'passed', value: 'true' },
      { name: 'failed', value: 'false' },
      { name: 'user_name', value: 'alex' },
    ]);
    expect(fields.slice(-3)).toEqual([
      { name: 'Device IP Address', value: '192.0.2.17' },
      { name: 'PostureStatus', value: 'Unknown' },
      { name: 'EndPointMatchedProfile', value: 'Unknown' },
    ]);
    expect(fields).toContainEqual({ name: 'acs_server', value: 'nac-1' });
    expect(fields.map(({ name }) => name)).not.toContain('other_attr_string');
  });

  it('returns a hundred fields at most', () => {
    const other = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`Field ${index}`, 'x']));
    const xml = sessionXml({ other });
    expect(readFields(xml)).toHaveLength(100);
    expect(readRecord(xml.replace('Profile=Unknown', 'Profile=Camera')).endpointProfile).toBe('Camera');
  });
});
