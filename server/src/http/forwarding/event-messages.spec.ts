import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeIn, fieldOf, lastIdIn, messagesIn } from './event-messages.ts'

const stream = 'id: 1\n\n:\n\nid: 2\nevent: fill\ndata: {"note":"é\\nid: 9"}\n\nid: 3\ndata: cut'

/** The bytes of the stream in chunks of this length. */
async function* chunksOf(length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(stream)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function collect(texts: AsyncIterable<string>): Promise<readonly string[]> {
  const collected: string[] = []
  for await (const text of texts) collected.push(text)
  return collected
}

for (const length of [1, 2, 7, 1000])
  test(`complete messages in chunks of ${length} bytes`, async () => {
    const parts = await collect(completeIn(chunksOf(length)))
    assert.equal(parts.join(''), stream.slice(0, stream.indexOf('id: 3')))
    assert.equal(lastIdIn(parts.join('')), '2')
    const messages = await collect(messagesIn(chunksOf(length)))
    assert.deepEqual(
      messages.map((message) => [lastIdIn(message), fieldOf(message, 'event')]),
      [
        ['1', undefined],
        [undefined, undefined],
        ['2', 'fill'],
      ],
    )
  })
