import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SseParser } from './sse.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** All messages in these bytes, cut into pieces of one size. */
function messagesIn(text: string, size: number): readonly string[] {
  const parser = new SseParser()
  const bytes = bytesOf(text)
  const messages = []
  for (let at = 0; at < bytes.length; at += size) messages.push(...parser.take(bytes.subarray(at, at + size)))
  return messages.map(({ id, event, data }) => `${id ?? '-'} ${event} ${data}`)
}

for (const [what, text, then] of [
  ['one message', 'data: a\n\n', ['- message a']],
  ['all fields', 'id: 7\nevent: posting\ndata: {"a":1}\n\n', ['7 posting {"a":1}']],
  ['no space after the colon', 'id:7\ndata:a\n\n', ['7 message a']],
  ['only one space is removed', 'data:  a\n\n', ['- message  a']],
  ['several lines', 'data: a\ndata: b\ndata\n\n', ['- message a\nb\n']],
  ['comments and heartbeats', ':\n\n: hello\ndata: a\n\n:\n\n', ['- message a']],
  ['an id stays', 'id: 1\ndata: a\n\ndata: b\n\n', ['1 message a', '1 message b']],
  ['an id alone is no message', 'id: 1\n\ndata: b\n\n', ['1 message b']],
  ['an empty id is none', 'id: 1\ndata: a\n\nid\ndata: b\n\n', ['1 message a', ' message b']],
  ['an id with a NUL is ignored', 'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n', ['1 message a', '1 message b']],
  ['an event does not stay', 'event: x\ndata: a\n\ndata: b\n\n', ['- x a', '- message b']],
  ['an event without data is none', 'event: x\n\ndata: b\n\n', ['- message b']],
  [
    'carriage returns',
    'id: 1\r\ndata: a\r\n\r\ndata: b\r\rdata: c\n\r',
    ['1 message a', '1 message b', '1 message c'],
  ],
  ['an empty data is a message', 'data:\n\n', ['- message ']],
  ['an incomplete message is not returned', 'data: a\n\ndata: b\n', ['- message a']],
  ['other fields', 'datum: x\ndata: a\nfoo\n\n', ['- message a']],
  ['a byte order mark', '\ufeffdata: a\n\n', ['- message a']],
  [
    'characters of several bytes',
    'data: \u00f1 \u20ac \ud83e\udea2\n\n',
    ['- message \u00f1 \u20ac \ud83e\udea2'],
  ],
] as const)
  test(`server-sent events: ${what}`, () => {
    for (const size of [1, 2, 3, 7, 1_000])
      assert.deepEqual(messagesIn(text, size), then, `pieces of ${size}`)
  })

test('the reconnect delay that the server sends', () => {
  const parser = new SseParser()
  parser.take(bytesOf('retry: 300\n\nretry: x\n\nretry: -1\n\n'))
  assert.equal(parser.retryMs, 300)
})

test('a message that is too long is an error', () => {
  const parser = new SseParser()
  const piece = bytesOf('x'.repeat(1024 * 1024))
  assert.throws(() => {
    for (let n = 0; n < 20; n++) parser.take(piece)
  }, /longer than/)
})
