import fc from 'fast-check';

/** Pieces that attackers and unlucky senders combine. Long runs of them expose non-linear parsers. */
const PIECES = [
  ...`AA:BB:CC:DD:EE:FF aabb.ccdd.eeff 00-1B-54 0:c: 0x SEP001B54000007 32768. 001122334455 :: : - . _ O0 l1|
    < > </ /> <sessionParameters> </sessionParameters> <!-- --> <?xml <![CDATA[ ]]> &b; &lt; &#x41; :!: = ; Key=Value
    mnt-rest-result passed true { } [ ] " \\ \\u0000 null true 1e999 -0 {"a": "error": "status":"error" "APIKey":"x"
    "response":{ "serviceTicket":"ST-1" /Date(1)/ 9999-12-31T <at> </at> </blockquote> &nbsp; &amp; help / ! \` **
    [a](https://b.c) {{DATE(2026-01-01T00:00:00Z)}} é 漢 🦊 http:// https://a:b@c/ //evil ? # %3A % ../ (((((`.split(
    /\s+/,
  ),
  ...[' ', '\t', '\n', '\r\n', 'client-id 01:', 'lookup ', 'look up', 'connect ', '<x:y xmlns:x="">'],
  ...['<!DOCTYPE a [<!ENTITY b "cc">]>', '<blockquote itemtype="http://schema.skype.com/Reply">'],
  ...['\u202e', '\u200b', '\u0000', '\ud800', '\udc00', '\u2028', '\u3164', '\ufeff', '\uff1a', '\u2013'],
  ...['x'.repeat(64), '_:'.repeat(32)],
];

const piece = fc.constantFrom(...PIECES);
const random = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
const mixed = fc.array(fc.oneof(piece, random(8)), { maxLength: 60 }).map((parts) => parts.join(''));
const repeated = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 3 }), fc.integer({ min: 100, max: 5000 }))
  .map(([parts, times]) => parts.join('').repeat(times).slice(0, 100_000));
/** Text from pieces and random characters; sometimes pieces repeated up to 5,000 times. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: mixed },
  { weight: 2, arbitrary: random(200) },
  { weight: 1, arbitrary: repeated },
);

/** A JSON value whose keys include the names that the parser reads. */
export function anyJson(names: readonly string[]): fc.Arbitrary<unknown> {
  const known = fc.constantFrom(...names, '__proto__', 'constructor', 'toString');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      anyText,
      fc.oneof(fc.constant(null), fc.boolean(), fc.double(), fc.integer()),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(known, anyText), tie('tree'), { maxKeys: 6 }),
    ),
  }));
  return tree;
}
